/** Without it a spreadsheet takes UTF-8 for another encoding. */
const BYTE_ORDER_MARK = '\uFEFF';

/**
 * A file of values as CSV (RFC 4180) with a header row, for a spreadsheet. It would take a text that begins like a formula as one.
 */
export function csv(
  head: readonly string[],
  rows: readonly (readonly (string | number | undefined)[])[],
): string {
  const lines = [head, ...rows].map((row) => `${row.map(cell).join(',')}\r\n`);
  return `${BYTE_ORDER_MARK}${lines.join('')}`;
}

function cell(value: string | number | undefined): string {
  const text = typeof value === 'string' ? value.replace(/^[=+\-@\t\r]/, "'$&") : String(value ?? '');
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

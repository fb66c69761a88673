/** Values as CSV (RFC 4180) with a header row. A spreadsheet would take a text that begins like a formula as one. */
export function csv(
  head: readonly string[],
  rows: readonly (readonly (string | number | undefined)[])[],
): string {
  return [head, ...rows].map((row) => row.map(cell).join(',')).join('\r\n');
}

function cell(value: string | number | undefined): string {
  const text = typeof value === 'string' ? value.replace(/^[=+\-@\t\r]/, "'$&") : String(value ?? '');
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Values as CSV (RFC 4180) with a header row. */
export function csv(
  head: readonly string[],
  rows: readonly (readonly (string | number | undefined)[])[],
): string {
  return [head, ...rows].map((row) => row.map(cell).join(',')).join('\r\n');
}

function cell(value: string | number | undefined): string {
  const text = String(value ?? '');
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Without it a spreadsheet takes UTF-8 for another encoding. */
const BYTE_ORDER_MARK = '\uFEFF';

/** Rows as CSV: `columns` are the headings with what they have of a row. */
export function csvOf(columns, rows) {
  const lines = [Object.keys(columns), ...rows.map((row) => Object.values(columns).map((of) => of(row)))];
  return BYTE_ORDER_MARK + lines.map((cells) => `${cells.map(csvCell).join(',')}\r\n`).join('');
}

/** A spreadsheet would take text that begins like a formula as one. */
function csvCell(value) {
  const text = String(value ?? '').replace(/^[=+\-@\t\r]/, "'$&");
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** A table of Markdown; a bar inside a cell is escaped, as it would end the cell. */
export function markdownTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [header, header.map(() => '---'), ...rows].map((cells) => `|${cells.map(cell).join('|')}|`);
  return lines.join('\n');
}

function cell(text: string): string {
  return text === '---' ? text : ` ${text.replaceAll('|', '\\|')} `;
}

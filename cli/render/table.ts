import stringWidth from 'fast-string-width';
import { wrapAnsi } from 'fast-wrap-ansi';
import { oneLine } from '../../shared/collections/visible.ts';
import type { Terminal } from '../terminal.ts';

const GAP = 2;
const MIN_FLEXIBLE = 16;

/**
 * A table without lines that fits the terminal: the last column takes the remaining width and wraps. A word that is longer is
 * broken.
 *
 * @param head titles of the columns
 */
export function table(
  { width, style }: Pick<Terminal, 'width' | 'style'>,
  head: readonly string[],
  given: readonly (readonly string[])[],
): string {
  const rows = [head.map((title) => style('dim', title)), ...given.map((row) => row.map(oneLine))];
  const widths = head.slice(0, -1).map((_, column) => GAP + widest(rows.map((row) => row[column] ?? '')));
  const indent = widths.reduce((sum, columns) => sum + columns, 0);
  const last = Math.max(MIN_FLEXIBLE, width - indent);
  return rows
    .flatMap((row) => {
      const start = widths.map((columns, column) => padded(row[column] ?? '', columns)).join('');
      const [first, ...more] = wrapped(row[widths.length] ?? '', last);
      return [`${start}${first}`, ...more.map((line) => `${' '.repeat(indent)}${line}`)];
    })
    .map((line) => line.trimEnd())
    .join('\n');
}

/** Columns of the terminal: a letter of some scripts takes two. */
function widest(cells: readonly string[]): number {
  return cells.reduce((most, cell) => Math.max(most, stringWidth(cell)), 0);
}

function padded(cell: string, columns: number): string {
  return cell + ' '.repeat(Math.max(0, columns - stringWidth(cell)));
}

function wrapped(cell: string, columns: number): string[] {
  return columns === Number.POSITIVE_INFINITY ? [cell] : wrapAnsi(cell, columns, { hard: true }).split('\n');
}

/** Lines of a name and its value, the values below each other. */
export function fields(entries: readonly (readonly [string, string | undefined])[]): string {
  const given = entries.filter(
    (entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== '',
  );
  const width = Math.max(0, ...given.map(([name]) => name.length));
  return given.map(([name, value]) => `${name.padEnd(width)}  ${oneLine(value)}`).join('\n');
}

import { stripVTControlCharacters } from 'node:util';
import Table from 'cli-table3';
import type { Terminal } from '../terminal.ts';
import { oneLine } from './visible.ts';

const GAP = 2;
const MIN_FLEXIBLE = 16;
const NO_LINES = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: '',
};

/**
 * A table without lines that fits the terminal: the last column takes the remaining width and wraps, at words if they
 * fit in it.
 *
 * @param head titles of the columns
 */
export function table(
  { width, style }: Pick<Terminal, 'width' | 'style'>,
  head: readonly string[],
  given: readonly (readonly string[])[],
): string {
  const rows = given.map((row) => row.map(oneLine));
  const natural = head.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => stripVTControlCharacters(row[column] ?? '').length)),
  );
  const fixed = natural.slice(0, -1).map((columns) => columns + GAP);
  const left = width - fixed.reduce((sum, columns) => sum + columns, 0);
  const last = Math.max(MIN_FLEXIBLE, Math.min(natural.at(-1) ?? 0, left));
  const words = rows.flatMap((row) => stripVTControlCharacters(row.at(-1) ?? '').split(/\s+/));
  const drawn = new Table({
    head: head.map((title) => style('dim', title)),
    chars: NO_LINES,
    style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [], compact: true },
    colWidths: [...fixed, last],
    wordWrap: true,
    wrapOnWordBoundary: words.every((word) => word.length <= last),
  });
  drawn.push(...rows);
  return withoutTrailingSpaces(drawn.toString());
}

/** Lines of a name and its value, the values below each other. */
export function fields(entries: readonly (readonly [string, string | undefined])[]): string {
  const given = entries.filter(
    (entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== '',
  );
  const width = Math.max(0, ...given.map(([name]) => name.length));
  return given.map(([name, value]) => `${name.padEnd(width)}  ${oneLine(value)}`).join('\n');
}

function withoutTrailingSpaces(text: string): string {
  return text
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}

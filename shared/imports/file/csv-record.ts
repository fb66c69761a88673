import type { Cell } from '../rules/cells.ts';
import { MAX_ROW_LENGTH, utf8Of } from './row.ts';

export interface CsvRecord {
  readonly cells: readonly Cell[];
  /** Bytes of the record with its line break. */
  readonly length: number;
  readonly lines: number;
}

export const delimiters = [',', ';', '\t'] as const;
export type Delimiter = (typeof delimiters)[number];

/**
 * A cell and its delimiter. A quote opens a cell only as its first character: `12" shelf` needs no quotes. The closing
 * quote must end the cell: a missing quote would otherwise join rows.
 */
function patternOf(delimiter: string): RegExp {
  const space = delimiter === '\t' ? ' *' : '[ \\t]*';
  const end = `\\${delimiter}`;
  return new RegExp(
    `(?:${space}"([^"]*(?:""[^"]*)*)"${space}|(?!${space}")([^${end}\\r\\n]*))(${end}|\\r\\n|\\r|\\n|$)`,
    'y',
  );
}

const patterns = new Map<string, RegExp>();
const LINE_BREAKS = /\r\n|\r|\n/g;

/** The first record of a raw text; `undefined` if its quotes do not match, or it is too long. */
export function readRecord(window: string, delimiter: string): CsvRecord | undefined {
  const pattern = patterns.get(delimiter) ?? patternOf(delimiter);
  patterns.set(delimiter, pattern);
  const cells: Cell[] = [];
  let lines = 1;
  pattern.lastIndex = 0;
  for (let cell = pattern.exec(window); cell !== null; cell = pattern.exec(window)) {
    const [, quoted, plain = '', end] = cell;
    lines += quoted?.match(LINE_BREAKS)?.length ?? 0;
    cells.push({ text: utf8Of(quoted?.replaceAll('""', '"') ?? plain), isQuoted: quoted !== undefined });
    const length = pattern.lastIndex;
    if (end !== delimiter)
      return length - (end?.length ?? 0) > MAX_ROW_LENGTH ? undefined : { cells, length, lines };
  }
  return undefined;
}

/** The cells without empty ones at the end. At least `least` cells stay. */
export function withoutEmptyEnd(cells: readonly Cell[], least: number): readonly Cell[] {
  let count = cells.length;
  while (count > least && isEmpty(cells[count - 1])) count -= 1;
  return count === cells.length ? cells : cells.slice(0, count);
}

/** Whether a cell is empty. White space between quotes is a text. */
export function isEmpty(cell: Cell | undefined): boolean {
  return cell === undefined || (cell.isQuoted ? cell.text === '' : cell.text.trim() === '');
}

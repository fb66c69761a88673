import { oneLine } from '../../collections/visible.ts';
import { boundedText } from '../../rejections/rules/bounded.ts';
import type { Cell } from '../rules/cells.ts';
import type { Columns } from '../rules/file-kinds.ts';
import { type CsvRecord, type Delimiter, delimiters, readRecord, withoutEmptyEnd } from './csv-record.ts';
import { FileFault } from './row.ts';

/** What the header of a CSV file says. */
export interface CsvHeader {
  readonly delimiter: string;
  /** The columns' names, without empty ones at the end. */
  readonly names: readonly string[];
  /** Number of the header's cells, with the empty ones at its end. `undefined` if an earlier version has read the header. */
  readonly cells: number | undefined;
}

/** A line that tells spreadsheets the delimiter. */
const SEPARATOR_LINE = /^"?sep=([^\r\n])"?[ \t;,]*(?:\r\n|\r|\n)/i;

/** Reads the line `sep=…` before a header. */
export function readSeparatorLine(window: string): { delimiter: string; length: number } | undefined {
  const [line, delimiter] = SEPARATOR_LINE.exec(window) ?? [];
  return line === undefined || delimiter === undefined ? undefined : { delimiter, length: line.length };
}

const JSON_START = /^\s*[[{]/;

interface ReadHeader extends CsvHeader {
  readonly record: CsvRecord;
  readonly known: number;
}

/**
 * Reads the header at the start of a raw text. Names are compared without case and without white space around them. The delimiter is
 * whichever splits the header into known columns.
 *
 * @param separator the delimiter that the line before names, if any
 * @throws {FileFault} FILE_NOT_CSV, FILE_COLUMNS_UNKNOWN, FILE_COLUMNS_REPEATED
 */
export function readHeader(
  columns: Columns,
  window: string,
  separator?: string,
): CsvHeader & { record: CsvRecord } {
  if (JSON_START.test(window)) {
    throw new FileFault(
      'FILE_NOT_CSV',
      'the file is JSON: its name must end in .json, or in .ndjson with a row on each line',
    );
  }
  const nameOf = namesInLowerCase(columns);
  const tried = (separator === undefined ? [...delimiters, '|'] : [separator]).flatMap(
    (delimiter): ReadHeader[] => {
      const record = readRecord(window, delimiter);
      if (record === undefined) return [];
      const names = withoutEmptyEnd(record.cells, 0).map(({ text }) => text.trim());
      const canonical = names.map((name) => nameOf.get(name.toLowerCase()) ?? name);
      return [
        {
          delimiter,
          record,
          names: canonical,
          cells: record.cells.length,
          known: canonical.filter((name) => columns.has(name)).length,
        },
      ];
    },
  );
  const best = tried.toSorted((a, b) => b.known - a.known)[0];
  const isUnreadable = tried.length <= delimiters.length && separator === undefined;
  if (best === undefined || (isUnreadable && best.known < best.names.length)) {
    throw new FileFault('FILE_NOT_CSV', 'the header is too long, or has a cell whose quotes do not match');
  }
  checkNames(columns, best);
  return best;
}

export function namesInLowerCase(columns: Columns): ReadonlyMap<string, string> {
  return new Map([...columns.keys()].map((name) => [name.toLowerCase(), name]));
}

/** The column names of a row that has only column names: the header of a second file that was appended to the first. */
export function namesOfHeader(
  nameOf: ReadonlyMap<string, string>,
  cells: readonly Cell[],
): string[] | undefined {
  const columnOf = ({ text }: Cell) => nameOf.get(text.trim().toLowerCase());
  const [first] = cells;
  if (first === undefined || columnOf(first) === undefined) return undefined;
  const names = withoutEmptyEnd(cells, 0).map(columnOf);
  return names.length > 1 && names.every((name) => name !== undefined) ? names : undefined;
}

function checkNames(columns: Columns, { delimiter, names }: CsvHeader): void {
  const seemingly = delimiter === ',' ? '' : `; they seem to be separated by ${JSON.stringify(delimiter)}`;
  const unknown = names.filter((name) => !columns.has(name));
  if (unknown.length > 0) {
    const what = `unknown columns (details.columns lists all columns)`;
    throw faultOf(columns, 'FILE_COLUMNS_UNKNOWN', what, unknown, seemingly);
  }
  if (!delimiters.includes(delimiter as Delimiter)) {
    const what = `columns must be separated by a comma, a semicolon or a tab`;
    throw faultOf(columns, 'FILE_COLUMNS_UNKNOWN', what, names, seemingly);
  }
  const repeated = names.filter((name, index) => names.indexOf(name) !== index);
  if (repeated.length > 0) throw faultOf(columns, 'FILE_COLUMNS_REPEATED', 'repeated columns', repeated, '');
}

function faultOf(
  columns: Columns,
  code: 'FILE_COLUMNS_UNKNOWN' | 'FILE_COLUMNS_REPEATED',
  what: string,
  names: readonly string[],
  seemingly: string,
): FileFault {
  const quoted = names.map((name) => oneLine(JSON.stringify(name))).join(', ');
  return new FileFault(code, boundedText(`${what}${seemingly}: ${quoted}`), undefined, {
    columns: [...columns.keys()],
  });
}

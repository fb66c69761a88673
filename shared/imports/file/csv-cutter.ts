import { boundedText } from '../../rejections/rules/bounded.ts';
import { type Columns, valueOfCells } from '../rules/file-kinds.ts';
import { type Cut, type CutterState, Lines, type RowCutter } from './cut-rows.ts';
import { FileFault, type FileRow, faulty, MAX_ROW_LENGTH, sizedRow, tooLarge, utf8Of } from './row.ts';

/**
 * A cell and its delimiter. A quote opens a cell only as its first character: `12" shelf` needs no quotes. The closing
 * quote must end the cell: a missing quote would otherwise join rows.
 */
const CELL = /(?:[ \t]*"([^"]*(?:""[^"]*)*)"[ \t]*|(?![ \t]*")([^,\r\n]*))(,|\r\n|\r|\n|$)/y;
const LINE_BREAKS = /\r\n|\r|\n/g;

interface CsvRecord {
  readonly cells: readonly string[];
  /** Bytes, its line break included. */
  readonly length: number;
  readonly lines: number;
}

/**
 * Splits CSV (RFC 4180, any line breaks) into rows. Its header has columns of `file-kinds.ts`. If
 * quotes do not match, or a row is too long, its first line is rejected and reading continues at the next line.
 *
 * @throws {FileFault} FILE_COLUMNS_UNKNOWN, FILE_COLUMNS_REPEATED, FILE_NOT_CSV, all about the header.
 */
export class CsvCutter implements RowCutter {
  readonly #lines: Lines;
  readonly #columns: Columns;
  #header: readonly string[] | undefined;

  constructor(columns: Columns, { number, header }: Partial<CutterState> = {}) {
    this.#columns = columns;
    this.#lines = new Lines(number);
    this.#header = header;
  }

  get state(): CutterState {
    return { number: this.#lines.next, ...(this.#header && { header: [...this.#header] }) };
  }

  get isBetweenRows(): boolean {
    return !this.#lines.isInside;
  }

  cut(window: string): Cut {
    const blank = this.#lines.skipBlank(window);
    if (blank > 0) return { length: blank };
    const record = this.#lines.isInside ? undefined : readRecord(window);
    if (record === undefined) return this.#cutLine(window);
    const number = this.#lines.next;
    this.#lines.next += record.lines;
    const isBlank = record.cells.length === 1 && utf8Of(window.slice(0, record.length)).trim() === '';
    return isBlank
      ? { length: record.length }
      : { length: record.length, row: this.#rowOf(number, record.cells) };
  }

  #cutLine(window: string): Cut {
    const { length, number, text } = this.#lines.take(window);
    if (this.#header === undefined)
      throw new FileFault('FILE_NOT_CSV', 'the header is too long, or has a cell whose quotes do not match');
    if (number === undefined) return { length };
    if (text === undefined || text.length > MAX_ROW_LENGTH) return { length, row: tooLarge(number) };
    const message = 'the row has a quoted cell without a closing quote, or text outside the quotes of a cell';
    return { length, row: faulty(number, 'ROW_NOT_CSV', message) };
  }

  #rowOf(number: number, cells: readonly string[]): FileRow | undefined {
    if (this.#header === undefined) {
      this.#header = checkedHeader(
        this.#columns,
        cells.map((cell) => cell.trim()),
      );
      return undefined;
    }
    if (cells.length !== this.#header.length) {
      const message = `the row has ${cells.length} cells, the header ${this.#header.length}`;
      return faulty(number, 'ROW_CELLS', message);
    }
    const { value, fault } = valueOfCells(this.#columns, this.#header, cells);
    return fault ? { number, fault, given: value } : sizedRow(number, value, cells.join(''));
  }
}

/** The first record of a text; `undefined` if its quotes do not match, or it is too long. */
function readRecord(window: string): CsvRecord | undefined {
  const cells: string[] = [];
  let lines = 1;
  CELL.lastIndex = 0;
  for (let cell = CELL.exec(window); cell !== null; cell = CELL.exec(window)) {
    const [, quoted, plain = '', end] = cell;
    lines += quoted?.match(LINE_BREAKS)?.length ?? 0;
    cells.push(utf8Of(quoted?.replaceAll('""', '"') ?? plain));
    const length = CELL.lastIndex;
    if (end !== ',')
      return length - (end?.length ?? 0) > MAX_ROW_LENGTH ? undefined : { cells, length, lines };
  }
  return undefined;
}

function checkedHeader(columns: Columns, header: readonly string[]): readonly string[] {
  const unknown = header.filter((name) => !columns.has(name));
  if (unknown.length > 0)
    throw faultOf(
      columns,
      'FILE_COLUMNS_UNKNOWN',
      'unknown columns (details.columns lists all columns)',
      unknown,
    );
  const repeated = header.filter((name, index) => header.indexOf(name) !== index);
  if (repeated.length > 0) throw faultOf(columns, 'FILE_COLUMNS_REPEATED', 'repeated columns', repeated);
  return header;
}

function faultOf(
  columns: Columns,
  code: 'FILE_COLUMNS_UNKNOWN' | 'FILE_COLUMNS_REPEATED',
  what: string,
  names: readonly string[],
): FileFault {
  const quoted = names.map((name) => JSON.stringify(name)).join(', ');
  return new FileFault(code, boundedText(`${what}: ${quoted}`), undefined, {
    columns: [...columns.keys()],
  });
}

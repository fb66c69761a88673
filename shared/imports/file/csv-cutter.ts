import { uuid } from '../../marketplace/fields.ts';
import type { ColumnType } from '../rules/cells.ts';
import { type CellLayout, valueOfCells } from '../rules/file-kinds.ts';
import {
  type CsvHeader,
  namesInLowerCase,
  namesOfHeader,
  readHeader,
  readSeparatorLine,
} from './csv-header.ts';
import { type CsvRecord, isEmpty, readRecord, withoutEmptyEnd } from './csv-record.ts';
import { type Cut, type CutterState, Lines, type RowCutter } from './cut-rows.ts';
import { FileFault, type FileRow, faulty, MAX_ROW_LENGTH, sizedRow, tooLarge } from './row.ts';

export interface CsvLayout extends CellLayout {
  /** Whether this is the second reading of the file. Rows that the first reading accepted are marked. */
  readonly isSecondReading?: boolean | undefined;
}

/**
 * Splits CSV (RFC 4180, any line breaks) into rows. Its header has columns of `file-kinds.ts`. Rows of empty cells are skipped. If
 * quotes do not match, or a row is too long, its first line is rejected and reading continues at the next line.
 *
 * @throws {FileFault} FILE_COLUMNS_UNKNOWN, FILE_COLUMNS_REPEATED, FILE_NOT_CSV: faults of the header, or of a second header behind it.
 */
export class CsvCutter implements RowCutter {
  readonly #lines: Lines;
  readonly #layout: CsvLayout;
  readonly #nameOf: ReadonlyMap<string, string>;
  #header: CsvHeader | undefined;
  /** The delimiter that a line before the header names. */
  #separator: string | undefined;

  constructor(layout: CsvLayout, from: Partial<CutterState> = {}) {
    this.#layout = layout;
    this.#nameOf = namesInLowerCase(layout.columns);
    this.#lines = new Lines(from.number);
    const { header: names, headerCells: cells, delimiter = ',' } = from;
    if (names) this.#header = { names, cells, delimiter };
    else this.#separator = from.delimiter;
  }

  get state(): CutterState {
    const delimiter = this.#header?.delimiter ?? this.#separator;
    return {
      number: this.#lines.next,
      ...(this.#header && { header: [...this.#header.names] }),
      ...(this.#header?.cells !== undefined && { headerCells: this.#header.cells }),
      ...(delimiter !== undefined && delimiter !== ',' && { delimiter }),
    };
  }

  get isBetweenRows(): boolean {
    return !this.#lines.isInside;
  }

  cut(window: string): Cut {
    const blank = this.#lines.skipBlank(window);
    if (blank > 0) return { length: blank };
    if (this.#header === undefined) return this.#cutHeader(window);
    const record = this.#lines.isInside ? undefined : readRecord(window, this.#header.delimiter);
    if (record === undefined || hidesProducts(this.#header, record)) return this.#cutLine(window);
    const number = this.#lines.next;
    this.#lines.next += record.lines;
    const { length } = record;
    if (record.cells.every(isEmpty)) return { length };
    return { length, row: this.#rowOf(this.#header, number, record) };
  }

  #cutHeader(window: string): Cut {
    const separator = this.#separator === undefined ? readSeparatorLine(window) : undefined;
    if (separator !== undefined) {
      this.#lines.next += 1;
      this.#separator = separator.delimiter;
      return { length: separator.length };
    }
    const { record, ...header } = readHeader(this.#layout.columns, window, this.#separator);
    this.#lines.next += record.lines;
    // A line of white space that is not ASCII, or of delimiters, comes before the header.
    if (!record.cells.every(isEmpty)) this.#header = header;
    return { length: record.length };
  }

  #cutLine(window: string): Cut {
    const { length, number, text } = this.#lines.take(window);
    if (number === undefined) return { length };
    if (text === undefined || text.length > MAX_ROW_LENGTH) return { length, row: tooLarge(number) };
    const message = 'the row has a quoted cell without a closing quote, or text outside the quotes of a cell';
    return { length, row: faulty(number, 'ROW_NOT_CSV', message) };
  }

  #rowOf(header: CsvHeader, number: number, { cells }: CsvRecord): FileRow {
    const { names } = header;
    const filled = withoutEmptyEnd(cells, names.length);
    const again = namesOfHeader(this.#nameOf, cells);
    if (again !== undefined) {
      if (again.join() !== names.join()) throw otherHeader(number, again);
      return faulty(number, 'ROW_NOT_CSV', 'the row is the header again');
    }
    if (mayHaveCutNumber(this.#layout, header, cells)) {
      const message = `the row has ${cells.length} cells, the header ${header.cells}: two of them may be one number with a comma: quote it, or end the header as the rows end`;
      return faulty(number, 'ROW_CELLS', message);
    }
    if (filled.length !== names.length) {
      const message = `the row has ${filled.length} cells, the header ${names.length}`;
      return faulty(number, 'ROW_CELLS', message);
    }
    const { value, fault, signOfComma } = valueOfCells(this.#layout, names, filled);
    const former = this.#layout.isSecondReading
      ? valueOfCells({ ...this.#layout, notation: undefined }, names, filled)
      : undefined;
    const formerFault = former?.fault;
    if (fault) return { number, fault, given: value, signOfComma, formerFault };
    const wasTaken = former !== undefined && formerFault === undefined;
    return { ...sizedRow(number, value), formerFault, ...(wasTaken && { wasTaken }) };
  }
}

function otherHeader(number: number, names: readonly string[]): FileFault {
  const message = `line ${number} is another header (${names.join(', ')}): put what is behind it as a file of its own`;
  return new FileFault('FILE_NOT_CSV', message, number);
}

/** Whether a cell that spans lines contains whole products: its opening quote was not closed, and the quote of a later cell closed it. */
function hidesProducts({ names, delimiter }: CsvHeader, { cells, lines }: CsvRecord): boolean {
  const position = names.indexOf('externalId');
  if (lines === 1 || position === -1) return false;
  return cells.some(({ text, isQuoted }) => {
    const hidden = isQuoted ? text.split(LINE_BREAK).slice(1) : [];
    return hidden.some((line) => uuid.safeParse(line.split(delimiter)[position]?.trim()).success);
  });
}

const NUMBERS: ReadonlySet<ColumnType> = new Set(['number', 'numberOrNull', 'whole', 'stock']);
const LINE_BREAK = /\r\n|\r|\n/;
const DIGITS = /^\s*[+-]?\d+\s*$/;

/**
 * Whether a row has more cells than the header, and two whole numbers side by side: `199,99` without quotes is read as a price and a
 * special price.
 */
function mayHaveCutNumber(
  { columns }: CellLayout,
  { names, delimiter, cells: expected }: CsvHeader,
  cells: CsvRecord['cells'],
): boolean {
  if (delimiter !== ',' || expected === undefined || cells.length <= expected) return false;
  const isPart = (position: number) =>
    cells[position]?.isQuoted === false && DIGITS.test(cells[position].text);
  return names.some(
    (name, position) => NUMBERS.has(columns.get(name) ?? 'text') && isPart(position) && isPart(position + 1),
  );
}

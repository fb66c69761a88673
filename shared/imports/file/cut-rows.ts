import type { FilePosition } from '../model.ts';
import {
  BYTE_ORDER_MARK,
  FileFault,
  type FileRow,
  MAX_ROW_LENGTH,
  MAX_TEXT,
  type ReadRow,
  readRow,
  tooLarge,
  utf8Of,
} from './row.ts';

/** Bytes passed to a cutter at a time: the longest row and its line break. */
const WINDOW_LENGTH = MAX_ROW_LENGTH + 2;

/** Rows are cut once this many bytes are collected. Fewer would cost more copies: each time the uncut rest, about a window, is copied. */
const CUT_LENGTH = 5 * WINDOW_LENGTH;

/** After this many bytes without a row, the position is passed on. */
const GAP_LENGTH = 8_000_000;

/** The part that a cutter removes from the start of a text. */
export interface Cut {
  /** Length of the part in bytes, at least 1. */
  readonly length: number;
  /** The row that ends in this part, if any. */
  readonly row?: FileRow | undefined;
  /** Bytes of the row without the separator behind it. Default: `length`, as only white space separates rows. */
  readonly rowLength?: number;
}

/** State of a cutter after a row: another cutter continues from it. */
export type CutterState = Omit<FilePosition, 'offset'>;

/** Splits a text into rows, and keeps its position in the file. */
export interface RowCutter {
  /** Valid between rows. */
  readonly state: CutterState;
  /** Whether every row that has begun has ended. */
  readonly isBetweenRows: boolean;

  /**
   * @param window the next `MAX_ROW_LENGTH + 2` bytes, or all remaining ones. It does not depend on the pieces in
   *   which the file arrives: every reading of a file gives the same rows.
   * @throws {FileFault} if the rest of the file can't be read.
   */
  cut(window: string): Cut;

  /** @throws {FileFault} if the file must not end here. */
  end?(): void;
}

/** A position in a long stretch without rows. The file was read up to here. */
export type Gap = Pick<ReadRow, 'end'>;

/**
 * Rows in groups: awaiting each row would take longer than cutting it. Read each group to its end. A group may be empty, so that the
 * reader can look at the clock also where a file has no rows for long.
 */
export type RowGroups = AsyncGenerator<Iterable<ReadRow | Gap>, void, undefined>;

export function isRow(part: ReadRow | Gap): part is ReadRow {
  return 'number' in part;
}

/**
 * Splits a file's raw text into rows. Buffers a megabyte and one piece. The text may end with a fault.
 *
 * @param offset bytes of the file before the first piece.
 */
export async function* cutRows(
  pieces: AsyncIterable<string | FileFault>,
  cutter: RowCutter,
  offset: number,
): RowGroups {
  const text = new Unread(offset);
  for await (const piece of pieces) {
    if (piece instanceof FileFault) {
      // The last row before the fault may be incomplete.
      yield takeRows(text, cutter, { keep: 1 });
      throw piece;
    }
    text.append(piece);
    yield text.length >= CUT_LENGTH ? takeRows(text, cutter, { keep: 0, ahead: WINDOW_LENGTH }) : [];
  }
  yield takeRows(text, cutter, { keep: 0 });
  cutter.end?.();
}

/** The rows of a text. Ends when the text has fewer than `ahead` bytes, or when a row would leave fewer than `keep` bytes. */
function* takeRows(
  text: Unread,
  cutter: RowCutter,
  { keep, ahead = 1 }: { readonly keep: number; readonly ahead?: number },
): Generator<ReadRow | Gap, void, undefined> {
  while (text.length >= ahead) {
    const window = text.window();
    const { length, row, rowLength } = cutter.cut(window);
    if (text.length - length < keep) return;
    text.skip(length);
    const raw = text.begun ?? window.slice(0, Math.min(rowLength ?? length, MAX_TEXT));
    text.begun = row === undefined && !cutter.isBetweenRows ? raw : undefined;
    const isGap = text.offset - text.passed >= GAP_LENGTH && cutter.isBetweenRows;
    if (row === undefined && !isGap) continue;
    text.passed = text.offset;
    const end = { offset: text.offset, ...cutter.state };
    yield row ? { ...row, end, raw } : { end };
  }
}

/** The bytes of a file that were not split into rows yet, as raw text. */
class Unread {
  /** Bytes of the file before these. */
  offset: number;
  /** Bytes of the file before the last position that was passed on. */
  passed: number;
  /** The start of a row that is too long to be cut at once. */
  begun: string | undefined;
  #text = '';
  /** Where the unread bytes begin in the text. Cutting the text after each row would copy it each time. */
  #start = 0;

  constructor(offset: number) {
    this.offset = offset;
    this.passed = offset;
  }

  get length(): number {
    return this.#text.length - this.#start;
  }

  append(piece: string): void {
    this.#text = this.#text.slice(this.#start) + piece;
    this.#start = 0;
  }

  window(): string {
    if (this.offset === 0 && this.#text.startsWith(BYTE_ORDER_MARK)) this.skip(BYTE_ORDER_MARK.length);
    return this.#text.slice(this.#start, this.#start + WINDOW_LENGTH);
  }

  skip(length: number): void {
    this.#start += length;
    this.offset += length;
  }
}

const TAB = 0x09;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;

/** A carriage return at the end of the window may be half a line break. */
const LINE_BREAK = /\r\n|\n|\r(?!$)/;

interface LinePart {
  /** Bytes, the line break included. */
  readonly length: number;
  /** Number of the line that ends in this part, from 1. Absent in the middle of a line that is too long. */
  readonly number?: number;
  /** The line without its line break. Absent for a line that is too long. */
  readonly text?: string;
}

/** Splits a text into lines. */
export class Lines {
  /** Number of the next line. */
  next: number;
  /** Whether a line was too long, and its rest comes next. */
  isInside = false;

  constructor(next = 1) {
    this.next = next;
  }

  /** Counts the blank lines at the start of a window. @returns their length in bytes */
  skipBlank(window: string): number {
    let length = 0;
    for (let at = 0; !this.isInside && at < window.length; at += 1) {
      const code = window.charCodeAt(at);
      if (code === SPACE || code === TAB) continue;
      // A carriage return at the end of the window may be half a line break.
      if (code === CARRIAGE_RETURN && at + 1 === window.length) break;
      if (code === CARRIAGE_RETURN && window.charCodeAt(at + 1) === LINE_FEED) at += 1;
      else if (code !== CARRIAGE_RETURN && code !== LINE_FEED) break;
      this.next += 1;
      length = at + 1;
    }
    return length;
  }

  take(window: string): LinePart {
    const found = LINE_BREAK.exec(window);
    const isRest = this.isInside;
    this.isInside = found === null && window.length > MAX_ROW_LENGTH;
    // The last byte may be half a line break.
    if (this.isInside) return { length: window.length - 1 };
    const number = this.next;
    this.next += 1;
    const length = found ? found.index + found[0].length : window.length;
    return isRest ? { length, number } : { length, number, text: window.slice(0, found?.index) };
  }
}

/** Splits a file with a row on each line. Blank lines are counted and skipped. */
export class LineCutter implements RowCutter {
  readonly #lines: Lines;

  constructor({ number }: Partial<CutterState> = {}) {
    this.#lines = new Lines(number);
  }

  get state(): CutterState {
    return { number: this.#lines.next };
  }

  get isBetweenRows(): boolean {
    return !this.#lines.isInside;
  }

  cut(window: string): Cut {
    const blank = this.#lines.skipBlank(window);
    if (blank > 0) return { length: blank };
    const { length, number, text } = this.#lines.take(window);
    if (number === undefined) return { length };
    if (text === undefined) return { length, row: tooLarge(number) };
    const row = readRow(number, text);
    return 'fault' in row && utf8Of(text).trim() === '' ? { length } : { length, row };
  }
}

import type { CatalogPosition } from '../../imports/model.ts';
import { CatalogFileFault, type CatalogRow, MAX_ROW_LENGTH, type ReadRow } from './model.ts';
import { BYTE_ORDER_MARK, utf8Of } from './raw-text.ts';
import { readRow, tooLarge } from './read-row.ts';

/** Bytes that a cutter sees at a time: the longest row and its line break. */
const WINDOW_LENGTH = MAX_ROW_LENGTH + 2;

/** What a cutter takes off the front of a text. */
export interface Cut {
  /** Bytes, one at least. */
  readonly length: number;
  /** The row that they end, if they end one. */
  readonly row?: CatalogRow | undefined;
}

/** Where a cutter is behind a row: all that it needs to go on from there. */
export type CutterState = Omit<CatalogPosition, 'offset'>;

/** Takes rows off the front of a text, and remembers where in the file it is. */
export interface RowCutter {
  /** Whether what follows in the file is no row. */
  readonly ended?: boolean;
  /** Valid behind a row. */
  readonly state: CutterState;

  /**
   * @param window the next `MAX_ROW_LENGTH + 2` bytes, or all that are left. As it never depends on the pieces in
   *   which the file arrives, each reading of a file gives the same rows.
   * @throws {CatalogFileFault} when nothing of the file can be read from here on.
   */
  cut(window: string): Cut;

  /** @throws {CatalogFileFault} when the file must not end here. */
  end?(): void;
}

/**
 * Cuts a file's raw text into rows, holding at most one row and one piece of it. The text may end with a fault.
 *
 * @param offset bytes of the file before the first piece.
 */
export async function* cutRows(
  pieces: AsyncIterable<string | CatalogFileFault>,
  cutter: RowCutter,
  offset = 0,
): AsyncGenerator<ReadRow, void, undefined> {
  const text = new Unread(offset);
  for await (const piece of pieces) {
    if (cutter.ended) return;
    if (piece instanceof CatalogFileFault) {
      // What reaches to the place where the file broke off may be half a row.
      yield* takeRows(text, cutter, { keep: 1 });
      throw piece;
    }
    text.append(piece);
    yield* takeRows(text, cutter, { keep: 0, ahead: WINDOW_LENGTH });
  }
  yield* takeRows(text, cutter, { keep: 0 });
  if (!cutter.ended) cutter.end?.();
}

/** The rows of a text while `ahead` bytes are left, those that leave `keep` of them. */
function* takeRows(
  text: Unread,
  cutter: RowCutter,
  { keep, ahead = 1 }: { readonly keep: number; readonly ahead?: number },
): Generator<ReadRow, void, undefined> {
  while (text.length >= ahead && !cutter.ended) {
    const { length, row } = cutter.cut(text.window());
    if (text.length - length < keep) return;
    text.skip(length);
    if (row) yield { ...row, end: { offset: text.offset, ...cutter.state } };
  }
}

/** The bytes of a file that arrived and were not cut yet, each as a character. */
class Unread {
  /** Bytes of the file before them. */
  offset: number;
  #text = '';

  constructor(offset: number) {
    this.offset = offset;
  }

  get length(): number {
    return this.#text.length;
  }

  append(piece: string): void {
    this.#text += piece;
  }

  window(): string {
    if (this.offset === 0 && this.#text.startsWith(BYTE_ORDER_MARK)) this.skip(BYTE_ORDER_MARK.length);
    return this.#text.slice(0, WINDOW_LENGTH);
  }

  skip(length: number): void {
    this.#text = this.#text.slice(length);
    this.offset += length;
  }
}

/** A carriage return at the end of the text read so far may be half a line break. */
const LINE_BREAK = /\r\n|\n|\r(?!$)/;

/** What is taken off the front of a text, up to the end of a line or of the text. */
interface Taken {
  /** Bytes with the line break. */
  readonly length: number;
  /** The line that they end; absent in the middle of a line that is too long. */
  readonly line?: {
    /** From 1. */
    readonly number: number;
    /** Without the line break; absent for a line that is too long. */
    readonly text?: string;
  };
}

/** Cuts lines from the start of a text. */
export class Lines {
  /** Number of the line that comes next. */
  next: number;
  /** Whether the rest of a line that is too long comes next. */
  isInside = false;

  constructor(next = 1) {
    this.next = next;
  }

  take(window: string): Taken {
    const found = LINE_BREAK.exec(window);
    const isRest = this.isInside;
    this.isInside = found === null && window.length > MAX_ROW_LENGTH;
    // The last byte may be half a line break.
    if (this.isInside) return { length: window.length - 1 };
    const number = this.next;
    this.next += 1;
    return {
      length: found ? found.index + found[0].length : window.length,
      line: isRest ? { number } : { number, text: window.slice(0, found?.index) },
    };
  }
}

/** Cuts a file with a product on each line; blank lines are counted and left out. */
export class LineCutter implements RowCutter {
  readonly #lines: Lines;

  constructor({ number }: Partial<CutterState> = {}) {
    this.#lines = new Lines(number);
  }

  get state(): CutterState {
    return { number: this.#lines.next };
  }

  cut(window: string): Cut {
    const { length, line } = this.#lines.take(window);
    if (line === undefined) return { length };
    const { number, text } = line;
    if (text === undefined) return { length, row: tooLarge(number) };
    return utf8Of(text).trim() === '' ? { length } : { length, row: readRow(number, text) };
  }
}

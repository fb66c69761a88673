import { CatalogFileFault, type CatalogRow, MAX_ROW_LENGTH } from './model.ts';
import { readRow } from './read-row.ts';

/** Characters that a cutter sees at a time: the longest row and its line break. */
const WINDOW_LENGTH = MAX_ROW_LENGTH + 2;

/** What a cutter takes off the front of a text. */
export interface Cut {
  /** Characters, one at least. */
  readonly length: number;
  /** The row that they make, if they make one. */
  readonly row?: CatalogRow | undefined;
}

/** Takes rows off the front of a text, and remembers where in the file it is. */
export interface RowCutter {
  /** Whether what follows in the file is no row. */
  readonly ended?: boolean;

  /**
   * @param window the next `MAX_ROW_LENGTH + 2` characters, or all that are left. As it never depends on the pieces in
   *   which the file arrives, each reading of a file gives the same rows.
   * @throws {CatalogFileFault} when nothing of the file can be read from here on.
   */
  cut(window: string): Cut;

  /** @throws {CatalogFileFault} when the file must not end here. */
  end?(): void;
}

/** Cuts a file's text into rows, holding at most one row and one piece of it. The text may end with a fault. */
export async function* cutRows(
  pieces: AsyncIterable<string | CatalogFileFault>,
  cutter: RowCutter,
): AsyncGenerator<CatalogRow, void, undefined> {
  let text = '';
  for await (const piece of pieces) {
    if (piece instanceof CatalogFileFault) {
      // What reaches to the place where the file broke off may be half a row.
      yield* takeRows(text, cutter, { keep: 1 });
      throw piece;
    }
    text = yield* takeRows(text + piece, cutter, { keep: 0, ahead: WINDOW_LENGTH });
    if (cutter.ended) return;
  }
  yield* takeRows(text, cutter, { keep: 0 });
  if (!cutter.ended) cutter.end?.();
}

/** The rows of a text while `ahead` characters are left, those that leave `keep` of them; returns what is left. */
function* takeRows(
  text: string,
  cutter: RowCutter,
  { keep, ahead = 1 }: { readonly keep: number; readonly ahead?: number },
): Generator<CatalogRow, string, undefined> {
  let left = text;
  while (left.length >= ahead && !cutter.ended) {
    const { length, row } = cutter.cut(left.slice(0, WINDOW_LENGTH));
    if (left.length - length < keep) return left;
    left = left.slice(length);
    if (row) yield row;
  }
  return left;
}

/** A carriage return at the end of the text read so far may be half a line break. */
const LINE_BREAK = /\r\n|\n|\r(?!$)/;

/** One line off the front of a text. */
interface Line {
  /** Characters with the line break. */
  readonly length: number;
  /** From 1. */
  readonly number: number;
  /** Without the line break; absent for the rest of a line that was too long. */
  readonly text?: string;
}

/** Cuts lines from the start of a text. A line that is too long is returned once, up to where it was read. */
export class Lines {
  /** Number of the line that comes next. */
  next = 1;
  /** Whether the rest of a line that is too long comes next. */
  isInside = false;

  take(window: string): Line {
    const number = this.next;
    const found = LINE_BREAK.exec(window);
    const text = this.isInside ? {} : { text: window.slice(0, found?.index) };
    this.isInside = found === null && window.length > MAX_ROW_LENGTH;
    if (!this.isInside) this.next += 1;
    if (found) return { length: found.index + found[0].length, number, ...text };
    return { length: this.isInside ? window.length - 1 : window.length, number, ...text };
  }
}

/** Cuts a file with a product on each line; blank lines are counted and left out. */
export class LineCutter implements RowCutter {
  readonly #lines = new Lines();

  cut(window: string): Cut {
    const { length, number, text = '' } = this.#lines.take(window);
    return text.trim() === '' ? { length } : { length, row: readRow(number, text) };
  }
}

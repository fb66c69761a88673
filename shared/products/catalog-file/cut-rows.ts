import { CatalogFileFault, type CatalogRow, MAX_ROW_LENGTH } from './model.ts';
import { readRow } from './read-row.ts';

/** Characters passed to a cutter at a time: the longest row and its line break. */
const WINDOW_LENGTH = MAX_ROW_LENGTH + 2;

/** The part that a cutter removes from the start of a text. */
export interface Cut {
  /** Characters, at least one. */
  readonly length: number;
  /** The row in this part, if any. */
  readonly row?: CatalogRow | undefined;
}

/** Splits a text into rows, and keeps its position in the file. */
export interface RowCutter {
  /** Whether no further row follows in the file. */
  readonly ended?: boolean;

  /**
   * @param window the next `MAX_ROW_LENGTH + 2` characters, or all remaining ones. It does not depend on the pieces in
   *   which the file arrives: every reading of a file gives the same rows.
   * @throws {CatalogFileFault} if the rest of the file can't be read.
   */
  cut(window: string): Cut;

  /** @throws {CatalogFileFault} if the file must not end here. */
  end?(): void;
}

/** Splits a file's text into rows. Buffers at most one row and one piece. The text may end with a fault. */
export async function* cutRows(
  pieces: AsyncIterable<string | CatalogFileFault>,
  cutter: RowCutter,
): AsyncGenerator<CatalogRow, void, undefined> {
  let text = '';
  for await (const piece of pieces) {
    if (piece instanceof CatalogFileFault) {
      // The last row before the fault may be incomplete.
      yield* takeRows(text, cutter, { keep: 1 });
      throw piece;
    }
    text = yield* takeRows(text + piece, cutter, { keep: 0, ahead: WINDOW_LENGTH });
    if (cutter.ended) return;
  }
  yield* takeRows(text, cutter, { keep: 0 });
  if (!cutter.ended) cutter.end?.();
}

/** The rows of a text while it has `ahead` characters and the row leaves `keep` of them; returns the rest. */
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

/** A carriage return at the end of the window may be half a line break. */
const LINE_BREAK = /\r\n|\n|\r(?!$)/;

interface Line {
  /** Characters, the line break included. */
  readonly length: number;
  /** From 1. */
  readonly number: number;
  /** Without the line break. Absent for the rest of a line that was too long. */
  readonly text?: string;
}

/** Splits a text into lines. A line that is too long is returned once, with the part that was read. */
export class Lines {
  /** Number of the next line. */
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

/** Splits a file with a product on each line. Blank lines are counted and skipped. */
export class LineCutter implements RowCutter {
  readonly #lines = new Lines();

  cut(window: string): Cut {
    const { length, number, text = '' } = this.#lines.take(window);
    return text.trim() === '' ? { length } : { length, row: readRow(number, text) };
  }
}

import { type Cut, MAX_ROW_LENGTH, type RowCutter } from './cut-rows.ts';
import { readRow } from './read-row.ts';

/** A carriage return at the end of what is seen may be half a line break. */
const LINE_BREAK = /\r\n|\n|\r(?!$)/;

/** One line off the front of a text. */
export interface Line {
  /** Characters with the line break. */
  readonly length: number;
  /** From 1. */
  readonly number: number;
  /** Without the line break; absent for the rest of a line that was too long. */
  readonly text?: string;
}

/** Takes lines off the front of a text. A line that is too long is given once, as far as it is seen. */
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

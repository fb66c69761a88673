import { isAlmostOneOf } from '../../collections/misspelled-name.ts';
import type { FileKind } from '../rules/file-kinds.ts';
import type { Cut, CutterState, RowCutter } from './cut-rows.ts';
import { FileFault, MAX_ROW_LENGTH, readRow, tooLarge } from './row.ts';

/**
 * Splits a JSON array, or the array `member` of a JSON object, into its elements. A streaming JSON parser would end at
 * the first syntax error and buffer an element of any size. Here a broken element with matching quotes and brackets does
 * not affect the others.
 *
 * @throws {FileFault} FILE_NOT_JSON, FILE_EMPTY if there is no such array, FILE_TRUNCATED if the file ends inside the array.
 */
export class ArrayCutter implements RowCutter {
  /** Member of the outermost object with the array. */
  readonly #member: string;
  readonly #notBeside: ReadonlySet<string>;

  /** Position of the current element, from 1. */
  #number: number;
  #isInArray: boolean;
  /** Whether the array is a member of an object. */
  #isMember: boolean;
  /** Whether the array has ended. */
  #hasEnded: boolean;
  /** Whether an element was too long, and its rest comes next. */
  #isInside = false;
  /** Open brackets. Inside the array they are counted from its start, outside from the start of the file. */
  #depth: number;
  #inString = false;
  #escaped = false;
  /** The last string of the outermost object. Cut off at `LONGEST_NAME`. */
  #name = '';
  /** A member that must not be beside the array. */
  #beside: string | undefined;
  /** Whether the member's value comes next. */
  #isExpected = false;

  /**
   * @param layout name of the array in an object, and of the members that must not be beside it.
   * @param state the state after a row, to continue from. Default: the start of the file.
   */
  constructor({ member, notBeside }: Pick<FileKind, 'member' | 'notBeside'>, state?: CutterState) {
    this.#member = member;
    this.#notBeside = notBeside;
    this.#number = state?.number ?? 1;
    this.#isMember = state?.isMember ?? false;
    this.#hasEnded = state?.hasEnded ?? false;
    this.#isInArray = state !== undefined && !this.#hasEnded;
    this.#depth = this.#hasEnded && this.#isMember ? 1 : 0;
  }

  get state(): CutterState {
    return {
      number: this.#number,
      ...(this.#isMember && { isMember: true }),
      ...(this.#hasEnded && { hasEnded: true }),
    };
  }

  get isBetweenRows(): boolean {
    return this.#isInArray && !this.#isInside;
  }

  cut(window: string): Cut {
    return this.#isInArray ? this.#cutElement(window) : this.#cutOutside(window);
  }

  end(): void {
    if (this.#isInArray) {
      throw new FileFault('FILE_TRUNCATED', 'the array is not closed', this.#number);
    }
    if (this.#depth > 0 && !this.#hasEnded) throw this.#noArray();
    if (this.#depth > 0) throw new FileFault('FILE_TRUNCATED', 'the object is not closed');
    if (this.#hasEnded) return;
    throw new FileFault('FILE_EMPTY', 'the file has no row');
  }

  #cutElement(window: string): Cut {
    const blank = this.#isInside ? 0 : lengthOfBlank(window);
    if (blank > 0) return { length: blank };
    let length = 0;
    while (length < window.length && !this.#endsElement(window.charAt(length))) length += 1;
    const text = window.slice(0, length);
    const number = this.#number;
    const isRest = this.#isInside;
    if (length === window.length) {
      this.#isInside ||= length > MAX_ROW_LENGTH;
      return { length };
    }
    this.#number += 1;
    this.#isInside = false;
    if (isRest) return { length: length + 1, row: tooLarge(number) };
    // An empty array and a trailing comma have no row before `]`.
    const isRow = this.#isInArray || text.trim() !== '';
    return isRow
      ? { length: length + 1, row: readRow(number, text), rowLength: length }
      : { length: length + 1 };
  }

  #endsElement(character: string): boolean {
    if (this.#stepString(character)) return false;
    if (character === ',') return this.#depth === 0;
    if (character === '{' || character === '[') this.#depth += 1;
    if (character !== '}' && character !== ']') return false;
    if (character === ']' && this.#depth === 0) this.#endArray();
    else this.#depth = Math.max(0, this.#depth - 1);
    return !this.#isInArray;
  }

  #endArray(): void {
    this.#isInArray = false;
    this.#hasEnded = true;
    this.#depth = this.#isMember ? 1 : 0;
    this.#isExpected = false;
    this.#name = '';
  }

  #cutOutside(window: string): Cut {
    let length = 0;
    while (length < window.length && !this.#isInArray) {
      this.#stepOutside(window.charAt(length));
      length += 1;
    }
    return { length };
  }

  /** Reads one character outside the array. The array begins at the first `[`, or at `"products": [` of an object. */
  #stepOutside(character: string): void {
    if (this.#isExpected || this.#depth === 0) {
      this.#open(character);
      return;
    }
    const isInside = this.#inString;
    if (this.#stepString(character)) {
      if (!isInside) this.#name = '';
      else if (this.#inString && this.#name.length <= LONGEST_NAME) this.#name += character;
      return;
    }
    if (character === ':') this.#endName();
    else if (character === ',') this.#name = '';
    else if (character === '{' || character === '[') this.#depth += 1;
    else if (character === '}' || character === ']') this.#depth -= 1;
    if (this.#depth === 0 && !this.#hasEnded) throw this.#noArray();
  }

  #endName(): void {
    if (this.#depth !== 1) return;
    if (isAlmostOneOf(this.#name, this.#notBeside)) this.#beside = this.#name;
    if (this.#hasEnded) this.#checkBeside();
    this.#isExpected = this.#name === this.#member;
  }

  #checkBeside(): void {
    if (this.#beside !== undefined) throw notBeside(this.#beside, this.#member);
  }

  /** Reads a character before or after the outermost value, or the first one of the member's value. */
  #open(character: string): void {
    if (/\s/.test(character)) return;
    if (this.#hasEnded && !this.#isExpected) throw notJson('the file goes on after its array or object');
    if (character === '[') {
      this.#checkBeside();
      this.#isInArray = true;
      this.#hasEnded = false;
      this.#isMember = this.#isExpected;
      this.#depth = 0;
    } else if (this.#isExpected) throw notJson(`"${this.#member}" is not an array`);
    else if (character === '{') this.#depth = 1;
    else throw notJson(`the file is neither an array nor an object {"${this.#member}": […]}`);
  }

  #noArray(): FileFault {
    return notJson(`the object has no array "${this.#member}"`);
  }

  /** Reads a character; returns whether it belongs to a string. */
  #stepString(character: string): boolean {
    if (!this.#inString) {
      this.#inString = character === '"';
      return this.#inString;
    }
    if (this.#escaped) this.#escaped = false;
    else if (character === '\\') this.#escaped = true;
    else if (character === '"') this.#inString = false;
    return true;
  }
}

/** At most this many characters of a name are kept: every name that is looked for is shorter. */
const LONGEST_NAME = 20;

/** The fault of a member beside the array: the partner means it for all rows. */
export function notBeside(name: string, member: string): FileFault {
  return notJson(
    `"${name}" beside "${member}" has no effect on a file: the store is in its key, a version in each row`,
  );
}

const NO_SPACE = /[^ \t\r\n]/;

/** Length of the white space at the start of a window. */
function lengthOfBlank(window: string): number {
  const length = window.search(NO_SPACE);
  return length === -1 ? window.length : length;
}

function notJson(message: string): FileFault {
  return new FileFault('FILE_NOT_JSON', message);
}

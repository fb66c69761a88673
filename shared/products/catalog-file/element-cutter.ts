import type { RowText } from './row.ts';

/**
 * Cuts the text after an array's `[` at the commas of the array's own depth, up to its `]`. Text may come in pieces
 * of any length; what is kept between them is one element of at most `maxLength` characters.
 */
export class ElementCutter {
  /** Position of the element being read, from 1. */
  number = 1;
  /** Whether the array's `]` was seen. */
  ended = false;

  readonly #maxLength: number;
  #text = '';
  #tooLong = false;
  #depth = 0;
  #inString = false;
  #escaped = false;

  constructor(maxLength: number) {
    this.#maxLength = maxLength;
  }

  /** The elements that end in this piece of text; what follows the array's end is left alone. */
  *cut(piece: string): Generator<RowText, void, undefined> {
    let start = 0;
    for (let at = 0; at < piece.length; at += 1) {
      const ends = this.#step(piece.charAt(at));
      if (!ends) continue;
      this.#extend(piece.slice(start, at));
      start = at + 1;
      const row = this.#take();
      if (row) yield row;
      if (this.ended) return;
    }
    this.#extend(piece.slice(start));
  }

  /** Moves over one character; tells whether it ends the element before it. */
  #step(character: string): boolean {
    if (this.#inString) {
      this.#stepInString(character);
      return false;
    }
    switch (character) {
      case '"':
        this.#inString = true;
        return false;
      case '{':
      case '[':
        this.#depth += 1;
        return false;
      case '}':
        this.#depth = Math.max(0, this.#depth - 1);
        return false;
      case ']':
        this.ended = this.#depth === 0;
        this.#depth = Math.max(0, this.#depth - 1);
        return this.ended;
      default:
        return character === ',' && this.#depth === 0;
    }
  }

  #stepInString(character: string): void {
    if (this.#escaped) this.#escaped = false;
    else if (character === '\\') this.#escaped = true;
    else if (character === '"') this.#inString = false;
  }

  #extend(piece: string): void {
    this.#tooLong ||= this.#text.length + piece.length > this.#maxLength;
    this.#text = this.#tooLong ? '' : this.#text + piece;
  }

  /** The element just ended; none before the `]` of an empty array or after a trailing comma. */
  #take(): RowText | undefined {
    const row = { number: this.number, text: this.#tooLong ? undefined : this.#text };
    this.#text = '';
    this.#tooLong = false;
    if (this.ended && row.text?.trim() === '') return undefined;
    this.number += 1;
    return row;
  }
}

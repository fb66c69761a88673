import { CatalogFileFault } from './file-fault.ts';

const MEMBER = 'products';

/** Finds where the array of products begins: at the file's first `[`, or at `"products": [` of its outermost object. */
export class ArrayOpening {
  #found = false;
  #depth = 0;
  #inString = false;
  #escaped = false;
  /** The last string of the outermost object, as far as it can still be the member's name. */
  #name = '';
  /** Whether `"products":` is what came last. */
  #expected = false;

  /**
   * @returns the index in `piece` of the first character inside the array; `undefined` while it has not begun.
   * @throws {CatalogFileFault} FILE_NOT_JSON when the file is neither an array nor an object, or `products` no array.
   */
  find(piece: string): number | undefined {
    if (this.#found) return 0;
    for (let at = 0; at < piece.length; at += 1) {
      this.#step(piece.charAt(at));
      if (this.#found) return at + 1;
    }
    return undefined;
  }

  /** @throws {CatalogFileFault} unless the array has begun. */
  end(): void {
    if (this.#found) return;
    if (this.#depth > 0) throw notJson('the object has no array "products"');
    throw new CatalogFileFault('FILE_EMPTY', 'the file holds no product');
  }

  #step(character: string): void {
    if (this.#inString) this.#stepInString(character);
    else if (this.#expected || this.#depth === 0) this.#open(character);
    else this.#stepInObject(character);
  }

  #stepInObject(character: string): void {
    switch (character) {
      case '"':
        this.#inString = true;
        this.#name = '';
        break;
      case ':':
        this.#expected = this.#depth === 1 && this.#name === MEMBER;
        break;
      case '{':
      case '[':
        this.#depth += 1;
        break;
      case '}':
      case ']':
        this.#depth -= 1;
        if (this.#depth === 0) throw notJson('the object has no array "products"');
        break;
      case ',':
        this.#name = '';
        break;
    }
  }

  /** Takes the first character of the file, or of the value of `products`. */
  #open(character: string): void {
    if (/\s/.test(character)) return;
    if (character === '[') this.#found = true;
    else if (this.#expected) throw notJson('"products" is not an array');
    else if (character === '{') this.#depth = 1;
    else throw notJson('the file is neither an array of products nor an object {"products": […]}');
  }

  #stepInString(character: string): void {
    if (this.#escaped) this.#escaped = false;
    else if (character === '\\') this.#escaped = true;
    else if (character === '"') this.#inString = false;
    if (this.#inString && this.#name.length <= MEMBER.length) this.#name += character;
  }
}

function notJson(message: string): CatalogFileFault {
  return new CatalogFileFault('FILE_NOT_JSON', message);
}

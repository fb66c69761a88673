import { isUtf8 } from 'node:buffer';
import { encodingsThatFit, NAMES } from './likely-encodings.ts';
import { BYTE_ORDER_MARK, FileFault } from './row.ts';

/** The first bytes of files that are not text in UTF-8: what such a file is, and what the partner can do. */
const SIGNATURES: readonly (readonly [bytes: string, what: string])[] = [
  ['PK\u0003\u0004', 'a zip archive: put the file that is in it, or compress it with gzip'],
  ['PK\u0005\u0006', 'an empty zip archive'],
  ['\u00D0\u00CF\u0011\u00E0', 'an old Excel workbook (.xls): save it as "CSV UTF-8"'],
  ['%PDF-', 'a PDF'],
  ['7z\u00BC\u00AF', 'a 7z archive: put the file that is in it'],
  ['Rar!', 'a RAR archive: put the file that is in it'],
  ['BZh', 'compressed with bzip2: compress it with gzip'],
  ['\u00FD7zXZ', 'compressed with xz: compress it with gzip'],
  ['\u0028\u00B5\u002F\u00FD', 'compressed with zstd: compress it with gzip'],
];
const TAR = { at: 257, bytes: 'ustar' };
/** In the first entries of every .xlsx, which is a zip archive. */
const XLSX = /\[Content_Types\]\.xml|_rels\/\.rels|xl\//;
const HTML = /^(?:\u00EF\u00BB\u00BF)?\s*<(?:!doctype html|html)\b/i;

const GZIP = '\u001F\u008B';
const UTF16_MARK = /^(\u00FF\u00FE|\u00FE\u00FF)/;

/** A file is recognised by this many bytes at its start. */
const HEAD_LENGTH = 4_096;

/** Checks that a file is text in UTF-8, piece by piece, before any of its rows is sent. */
export class Utf8Check {
  #head: Buffer = Buffer.alloc(0);
  #isRecognised = false;
  /** The first bytes of a character that the last piece did not complete. */
  #rest: Buffer = Buffer.alloc(0);
  /** Bytes of the file before the rest. */
  #offset = 0;
  #lines = 1;
  #lastByte = 0;
  #beyondAscii = 0;
  readonly #isUnpacked: boolean;

  /** @param isUnpacked whether the file was decompressed because its name ends in `.gz` */
  constructor(isUnpacked: boolean) {
    this.#isUnpacked = isUnpacked;
  }

  /** Whether a file that is valid up to now is surely UTF-8, and not valid by chance. */
  get isSurelyUtf8(): boolean {
    return this.#beyondAscii >= NO_CHANCE || this.#head.indexOf(BYTE_ORDER_MARK, 0, 'latin1') === 0;
  }

  /** @returns the piece @throws {FileFault} FILE_NOT_TEXT, FILE_NOT_UTF8 */
  add(piece: Uint8Array): Uint8Array {
    if (!this.#isRecognised) {
      this.#head = Buffer.concat([this.#head, piece.subarray(0, HEAD_LENGTH)]);
      if (this.#head.length >= HEAD_LENGTH) this.#recognise();
    }
    const bytes =
      this.#rest.length === 0
        ? Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength)
        : Buffer.concat([this.#rest, piece]);
    const end = bytes.length - lengthOfIncomplete(bytes);
    this.#check(bytes.subarray(0, end), bytes);
    this.#rest = Buffer.from(bytes.subarray(end));
    return piece;
  }

  /** @throws {FileFault} FILE_NOT_TEXT, FILE_NOT_UTF8 */
  end(): void {
    if (!this.#isRecognised) this.#recognise();
    this.#check(this.#rest, this.#rest);
  }

  #recognise(): void {
    this.#isRecognised = true;
    refuseOthers(this.#head, this.#isUnpacked);
  }

  #check(bytes: Buffer, following: Buffer): void {
    if (!isUtf8(bytes)) {
      // The kind of file tells the partner more than the position of a byte.
      if (!this.#isRecognised) this.#recognise();
      const at = firstInvalid(bytes);
      this.#count(bytes.subarray(0, at));
      throw notUtf8({ line: this.#lines, byte: this.#offset, sample: following });
    }
    this.#count(bytes);
  }

  #count(bytes: Buffer): void {
    for (const byte of bytes) {
      if (byte === LINE_FEED ? this.#lastByte !== CARRIAGE_RETURN : byte === CARRIAGE_RETURN)
        this.#lines += 1;
      if (byte >= FIRST_OF_LONGER) this.#beyondAscii += 1;
      this.#lastByte = byte;
    }
    this.#offset += bytes.length;
  }
}

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
/** The least first byte of a character of several bytes. */
const FIRST_OF_LONGER = 0xc2;
/**
 * A text with this many valid characters of several bytes, and no invalid byte, is UTF-8. No text of another encoding is like this.
 */
const NO_CHANCE = 4;

function refuseOthers(head: Buffer, isUnpacked: boolean): void {
  const text = head.toString('latin1');
  const encoding = utf16Of(text);
  if (encoding !== undefined) {
    const message = `the file is encoded in UTF-16 (${encoding}): save it in UTF-8, or name its encoding`;
    throw new FileFault('FILE_NOT_UTF8', message, undefined, { encodings: [encoding] });
  }
  if (text.startsWith(GZIP)) {
    const what = isUnpacked ? ' twice: compress it once' : ': its name must end in .gz';
    throw new FileFault('FILE_NOT_UTF8', `the file is compressed with gzip${what}`);
  }
  if (text.startsWith(TAR.bytes, TAR.at))
    throw new FileFault('FILE_NOT_TEXT', 'the file is a tar archive: put the file that is in it');
  const [, what] = SIGNATURES.find(([bytes]) => text.startsWith(bytes)) ?? [];
  if (what !== undefined) {
    const isWorkbook = text.startsWith('PK') && XLSX.test(text);
    const named = isWorkbook ? 'an Excel workbook (.xlsx): save it as "CSV UTF-8"' : what;
    throw new FileFault('FILE_NOT_TEXT', `the file is ${named}`);
  }
  if (HTML.test(text)) throw new FileFault('FILE_NOT_TEXT', 'the file is a page of HTML');
}

/** The first characters of a file. They are ASCII in each kind of file. */
const FIRST = 64;
/** In UTF-16 at least this part of the even bytes, or of the odd bytes, is zero. */
const MOSTLY = 0.7;

function utf16Of(text: string): 'utf-16le' | 'utf-16be' | undefined {
  if (UTF16_MARK.test(text)) return text.charCodeAt(0) === 0xff ? 'utf-16le' : 'utf-16be';
  const pairs = [...Array(Math.min(FIRST, text.length >> 1)).keys()];
  if (pairs.length < 2) return undefined;
  const zeros = (side: number) =>
    pairs.filter((pair) => text.charCodeAt(2 * pair + side) === 0).length / pairs.length;
  if (zeros(1) >= MOSTLY && zeros(0) === 0) return 'utf-16le';
  return zeros(0) >= MOSTLY && zeros(1) === 0 ? 'utf-16be' : undefined;
}

/** Length of a character in UTF-8 by its first byte; 0 for a byte that begins no character. */
function lengthBy(byte: number): number {
  if (byte < 0x80) return 1;
  if (byte < 0xc2) return 0;
  if (byte < 0xe0) return 2;
  return byte < 0xf0 ? 3 : 4;
}

const LONGEST = 4;

/** Number of bytes at the end of a piece that belong to an incomplete character. */
function lengthOfIncomplete(bytes: Buffer): number {
  for (let length = 1; length < LONGEST && length <= bytes.length; length += 1) {
    const byte = bytes[bytes.length - length] ?? 0;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return lengthBy(byte) > length ? length : 0;
  }
  return 0;
}

function firstInvalid(bytes: Buffer): number {
  let at = 0;
  while (at < bytes.length) {
    const length = lengthBy(bytes[at] ?? 0);
    if (length === 0 || !isUtf8(bytes.subarray(at, at + length))) return at;
    at += length;
  }
  return at;
}

function notUtf8({ line, byte, sample }: { line: number; byte: number; sample: Buffer }): FileFault {
  const encodings = encodingsThatFit(sample);
  const names = encodings.map((one) => NAMES[one]).join(' or ');
  const what = names === '' ? 'Save it' : `It fits ${names}: save it`;
  const message = `the file is not encoded in UTF-8: line ${line}, byte ${byte + 1} of the file. ${what} in UTF-8, or name its encoding`;
  return new FileFault('FILE_NOT_UTF8', message, undefined, { line, byte: byte + 1, encodings });
}

/** Checks that a file is in the encoding that it names, and not in UTF-8: another encoding would show each UTF-8 letter as two. */
export class NamedEncodingCheck {
  readonly #transcoder: Transcoder;
  readonly #encoding: string;
  #utf8: Utf8Check | undefined;

  /**
   * @param isUnpacked see `Utf8Check`
   * @throws {FileFault} FILE_HINT_INVALID for an encoding that is not known
   */
  constructor(encoding: string, isUnpacked: boolean) {
    this.#encoding = encoding;
    this.#utf8 = new Utf8Check(isUnpacked);
    this.#transcoder = new Transcoder(encoding);
  }

  /** @returns the piece in UTF-8 @throws {FileFault} FILE_NOT_TEXT, FILE_NOT_ENCODED */
  add(piece: Uint8Array): Uint8Array {
    this.#checkUtf8((check) => check.add(piece));
    return this.#transcoder.add(piece);
  }

  /** @throws {FileFault} FILE_NOT_ENCODED */
  end(): void {
    this.#transcoder.end();
    this.#checkUtf8((check) => check.end());
    if (this.#utf8?.isSurelyUtf8 !== true) return;
    const message = `the file is encoded in UTF-8, not in ${this.#encoding}, which it names as its encoding`;
    throw new FileFault('FILE_NOT_ENCODED', message);
  }

  #checkUtf8(check: (utf8: Utf8Check) => void): void {
    try {
      if (this.#utf8) check(this.#utf8);
    } catch (error) {
      if (!(error instanceof FileFault) || error.code === 'FILE_NOT_TEXT') throw error;
      this.#utf8 = undefined;
    }
  }
}

/** Decodes a file in the encoding that it names, into UTF-8. */
export class Transcoder {
  readonly #decoder: InstanceType<typeof TextDecoder>;
  readonly #encoding: string;

  /** @throws {FileFault} FILE_HINT_INVALID for an encoding that is not known */
  constructor(encoding: string) {
    this.#encoding = encoding;
    try {
      this.#decoder = new TextDecoder(encoding, { fatal: true });
    } catch {
      throw new FileFault(
        'FILE_HINT_INVALID',
        `encoding: ${JSON.stringify(encoding)} is not known: give its name in the WHATWG's encoding standard, such as windows-1252`,
      );
    }
  }

  /** @throws {FileFault} FILE_NOT_ENCODED */
  add(piece: Uint8Array): Buffer {
    return this.#decode(piece);
  }

  /** @throws {FileFault} FILE_NOT_ENCODED */
  end(): Buffer {
    return this.#decode();
  }

  #decode(piece?: Uint8Array): Buffer {
    try {
      return Buffer.from(this.#decoder.decode(piece, { stream: piece !== undefined }));
    } catch {
      const message = `the file is not encoded in ${this.#encoding}, which it names as its encoding`;
      throw new FileFault('FILE_NOT_ENCODED', message);
    }
  }
}

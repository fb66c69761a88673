/**
 * A file is split as raw text, with one character per byte: a position in it is a number of bytes. All delimiters of rows
 * are ASCII, and no other UTF-8 character contains an ASCII byte.
 */
export function rawTextOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}

/** The UTF-8 byte order mark in raw text. */
export const BYTE_ORDER_MARK = '\u00EF\u00BB\u00BF';

const BEYOND_ASCII = /[\u0080-\u00FF]/;

/** Decodes raw text as UTF-8. Invalid bytes become U+FFFD. */
export function utf8Of(raw: string): string {
  return BEYOND_ASCII.test(raw) ? Buffer.from(raw, 'latin1').toString('utf8') : raw;
}

/**
 * A file is cut as text with a character for each byte, so that a place in it is a number of bytes. Everything that a row
 * is cut at is ASCII, which no part of another character in UTF-8 looks like.
 */
export function rawTextOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}

/** The UTF-8 byte order mark in raw text. */
export const BYTE_ORDER_MARK = '\u00EF\u00BB\u00BF';

const BEYOND_ASCII = /[\u0080-\u00FF]/;

/** What raw text says, read as UTF-8; U+FFFD stands for bytes that are no UTF-8. */
export function utf8Of(raw: string): string {
  return BEYOND_ASCII.test(raw) ? Buffer.from(raw, 'latin1').toString('utf8') : raw;
}

import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { FilePosition } from '../model.ts';
import type { FileHints } from '../rules/file-hints.ts';
import type { FileKind } from '../rules/file-kinds.ts';
import type { FileType } from './announced-file.ts';
import { ArrayCutter } from './array-cutter.ts';
import { ArrayEnd } from './array-end.ts';
import { CsvCutter, type CsvLayout } from './csv-cutter.ts';
import { cutRows, LineCutter, type RowCutter, type RowGroups } from './cut-rows.ts';
import { NamedEncodingCheck, Transcoder, Utf8Check } from './encoding.ts';
import { FileFault, type FileFormat, rawTextOf } from './row.ts';

/** How the rows of a kind of file are written. */
export type RowLayout = Pick<FileKind, 'member' | 'notBeside'> & CsvLayout;

const cutterOf: Record<FileFormat, (layout: RowLayout, from: FilePosition | undefined) => RowCutter> = {
  ndjson: (_, from) => new LineCutter(from),
  json: (layout, from) => new ArrayCutter(layout, from),
  csv: (layout, from) => new CsvCutter(layout, from),
};

/** How the bytes of a file become its text. */
export type FileText = FileType & Pick<FileHints, 'encoding'>;

/**
 * First byte of the object that is needed to read from `position` on. A compressed file, or one in another encoding than UTF-8,
 * can only be read from its start: the rows before `position` are then skipped.
 */
export function firstByteOf(
  { gzip, encoding }: Pick<FileText, 'gzip' | 'encoding'>,
  position: FilePosition | undefined,
): number {
  return gzip || encoding !== undefined ? 0 : (position?.offset ?? 0);
}

/**
 * Reads a file to its end, to check that it is text in its encoding. No row is sent before: in a text of another encoding, some rows may
 * be valid by chance.
 *
 * @param source the whole object
 * @param layout of its rows
 * @param isOutOfTime whether to leave the rest: a gzip of a few megabytes may unpack to gigabytes. Default: never.
 * @returns whether it was read to its end
 * @throws {FileFault} FILE_NOT_TEXT, FILE_NOT_UTF8, FILE_NOT_ENCODED, FILE_NOT_JSON. Errors of the source are thrown unchanged.
 */
export async function inspectFile(
  source: Readable,
  layout: Pick<RowLayout, 'member' | 'notBeside'>,
  text: FileText,
  isOutOfTime = () => false,
): Promise<boolean> {
  const { encoding, gzip } = text;
  const check = encoding === undefined ? new Utf8Check(gzip) : new NamedEncodingCheck(encoding, gzip);
  const end = text.format === 'json' ? new ArrayEnd(layout) : undefined;
  for await (const piece of unpacked(source, text)) {
    // The rows before a fault of gzip are sent: reading them finds the fault again.
    if (piece instanceof FileFault) return true;
    const bytes = check.add(piece);
    end?.add(bytes);
    if (isOutOfTime()) return false;
  }
  check.end();
  end?.check();
  return true;
}

/**
 * Streams the rows of a file of any size, with about a megabyte of it in memory.
 *
 * @param source the object from `firstByteOf` on.
 * @param from the end of a row: reading begins with the next one. Default: the start of the file.
 * @throws {FileFault} for a fault of the file. Errors of the source are thrown unchanged.
 */
export function readRows(
  source: Readable,
  layout: RowLayout,
  type: FileText,
  from?: FilePosition,
): RowGroups {
  const offset = from?.offset ?? 0;
  const text = rawText(unpacked(source, type), type);
  const isWhole = firstByteOf(type, from) === 0;
  return cutRows(isWhole ? skip(text, offset) : text, cutterOf[type.format](layout, from), offset);
}

/** The bytes of a file that are not compressed. Ends with the fault of invalid gzip data, if any. */
async function* unpacked(
  source: Readable,
  { gzip }: Pick<FileText, 'gzip'>,
): AsyncGenerator<Uint8Array | FileFault, void, undefined> {
  try {
    yield* gzip ? gunzip(source) : source;
  } catch (error) {
    const fault = faultOfGzip(error);
    if (fault === undefined) throw error;
    yield fault;
  }
}

/** The raw text of the bytes, in UTF-8. */
async function* rawText(
  pieces: AsyncIterable<Uint8Array | FileFault>,
  { encoding }: Pick<FileText, 'encoding'>,
): AsyncGenerator<string | FileFault, void, undefined> {
  const transcoder = encoding === undefined ? undefined : new Transcoder(encoding);
  for await (const piece of pieces) {
    yield piece instanceof FileFault ? piece : rawTextOf(transcoder?.add(piece) ?? piece);
  }
  if (transcoder) yield rawTextOf(transcoder.end());
}

/** The text without its first `length` bytes. Each skipped piece gives an empty text, so that the reader can look at the clock. */
async function* skip(
  pieces: AsyncIterable<string | FileFault>,
  length: number,
): AsyncGenerator<string | FileFault, void, undefined> {
  let left = length;
  for await (const piece of pieces) {
    if (piece instanceof FileFault || left === 0) {
      yield piece;
      continue;
    }
    yield piece.slice(left);
    left = Math.max(0, left - piece.length);
  }
}

function gunzip(source: Readable): Readable {
  // Iterating the result throws the error of either stream. Without a callback `pipeline` would throw it as well.
  return pipeline(source, createGunzip(), () => {});
}

function faultOfGzip(error: unknown): FileFault | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'Z_BUF_ERROR') return new FileFault('FILE_TRUNCATED', 'the gzip data is incomplete');
  if (code === 'Z_DATA_ERROR') return new FileFault('FILE_NOT_GZIP', 'the data is not valid gzip');
  return undefined;
}

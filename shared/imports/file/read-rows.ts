import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { FilePosition } from '../model.ts';
import type { FileKind } from '../rules/file-kinds.ts';
import type { FileType } from './announced-file.ts';
import { ArrayCutter } from './array-cutter.ts';
import { CsvCutter } from './csv-cutter.ts';
import { cutRows, LineCutter, type RowCutter, type RowGroups } from './cut-rows.ts';
import { FileFault, type FileFormat, rawTextOf } from './row.ts';

/** How the rows of a kind of file are written. */
export type RowLayout = Pick<FileKind, 'member' | 'columns'>;

const cutterOf: Record<FileFormat, (layout: RowLayout, from: FilePosition | undefined) => RowCutter> = {
  ndjson: (_, from) => new LineCutter(from),
  json: ({ member }, from) => new ArrayCutter(member, from),
  csv: ({ columns }, from) => new CsvCutter(columns, from),
};

/**
 * First byte of the object that is needed to read from `position` on. A gzip file can only be unpacked from its start:
 * the rows before `position` are then skipped.
 */
export function firstByteOf({ gzip }: Pick<FileType, 'gzip'>, position: FilePosition | undefined): number {
  return gzip ? 0 : (position?.offset ?? 0);
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
  { format, gzip }: FileType,
  from?: FilePosition,
): RowGroups {
  const offset = from?.offset ?? 0;
  const text = gzip ? skip(rawText(gunzip(source)), offset) : rawText(source);
  return cutRows(text, cutterOf[format](layout, from), offset);
}

/** The raw text of the bytes. Ends with the fault of invalid gzip data, if any. */
async function* rawText(
  bytes: AsyncIterable<Uint8Array>,
): AsyncGenerator<string | FileFault, void, undefined> {
  try {
    for await (const chunk of bytes) yield rawTextOf(chunk);
  } catch (error) {
    const fault = faultOfGzip(error);
    if (fault === undefined) throw error;
    yield fault;
  }
}

/** The text without its first `length` bytes. */
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
    if (left < piece.length) yield piece.slice(left);
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

import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { CatalogPosition } from '../../imports/model.ts';
import { ArrayCutter } from './array-cutter.ts';
import { CsvCutter } from './csv-cutter.ts';
import { cutRows, LineCutter } from './cut-rows.ts';
import { CatalogFileFault, type CatalogFormat, type ReadRow } from './model.ts';
import { rawTextOf } from './raw-text.ts';

const CUTTERS = { ndjson: LineCutter, json: ArrayCutter, csv: CsvCutter };

/** The encoding of a file, according to its key. */
export interface CatalogEncoding {
  readonly format: CatalogFormat;
  readonly gzip: boolean;
}

/**
 * First byte of the object that is needed to read from `position` on. A gzip file can only be unpacked from its start:
 * the rows before `position` are then skipped.
 */
export function firstByteOf({ gzip }: CatalogEncoding, position: CatalogPosition | undefined): number {
  return gzip ? 0 : (position?.offset ?? 0);
}

/**
 * Streams the products of a catalog file of any size, with a few rows in memory.
 *
 * @param source the object from `firstByteOf` on.
 * @param from the end of a row: reading begins with the next one. Default: the start of the file.
 * @throws {CatalogFileFault} for a fault of the file. Errors of the source are thrown unchanged.
 */
export function readCatalog(
  source: Readable,
  { format, gzip }: CatalogEncoding,
  from?: CatalogPosition,
): AsyncGenerator<ReadRow, void, undefined> {
  const offset = from?.offset ?? 0;
  const text = gzip ? skip(rawText(gunzip(source)), offset) : rawText(source);
  return cutRows(text, new CUTTERS[format](from), offset);
}

/** The raw text of the bytes. Ends with the fault of invalid gzip data, if any. */
async function* rawText(
  bytes: AsyncIterable<Uint8Array>,
): AsyncGenerator<string | CatalogFileFault, void, undefined> {
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
  pieces: AsyncIterable<string | CatalogFileFault>,
  length: number,
): AsyncGenerator<string | CatalogFileFault, void, undefined> {
  let left = length;
  for await (const piece of pieces) {
    if (piece instanceof CatalogFileFault || left === 0) {
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

function faultOfGzip(error: unknown): CatalogFileFault | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'Z_BUF_ERROR') return new CatalogFileFault('FILE_TRUNCATED', 'the gzip data is incomplete');
  if (code === 'Z_DATA_ERROR') return new CatalogFileFault('FILE_NOT_GZIP', 'the data is not valid gzip');
  return undefined;
}

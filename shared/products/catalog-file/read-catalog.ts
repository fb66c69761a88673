import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { ArrayCutter } from './array-cutter.ts';
import { CsvCutter } from './csv-cutter.ts';
import { cutRows, LineCutter } from './cut-rows.ts';
import { CatalogFileFault, type CatalogFormat, type CatalogRow } from './model.ts';

const CUTTERS = { ndjson: LineCutter, json: ArrayCutter, csv: CsvCutter };

/** The encoding of a file, according to its key. */
export interface CatalogEncoding {
  readonly format: CatalogFormat;
  readonly gzip: boolean;
}

/**
 * Streams the products of a catalog file of any size, with a few rows in memory.
 *
 * @throws {CatalogFileFault} for a fault of the file. Errors of the source are thrown unchanged.
 */
export function readCatalog(
  source: Readable,
  { format, gzip }: CatalogEncoding,
): AsyncGenerator<CatalogRow, void, undefined> {
  return cutRows(decode(gzip ? gunzip(source) : source), new CUTTERS[format]());
}

/** UTF-8 text of the bytes, without a byte order mark. Ends with the fault of invalid gzip data, if any. */
async function* decode(
  bytes: AsyncIterable<Uint8Array>,
): AsyncGenerator<string | CatalogFileFault, void, undefined> {
  const decoder = new TextDecoder('utf-8');
  try {
    for await (const chunk of bytes) yield decoder.decode(chunk, { stream: true });
    yield decoder.decode();
  } catch (error) {
    const fault = faultOfGzip(error);
    if (fault === undefined) throw error;
    yield fault;
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

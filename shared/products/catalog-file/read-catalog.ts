import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { ArrayCutter } from './array-cutter.ts';
import { CsvCutter } from './csv-cutter.ts';
import { cutRows, LineCutter } from './cut-rows.ts';
import { CatalogFileFault, type CatalogFormat, type CatalogRow } from './model.ts';

const CUTTERS = { ndjson: LineCutter, json: ArrayCutter, csv: CsvCutter };

/** The format of the file, according to its key. */
export interface CatalogEncoding {
  readonly format: CatalogFormat;
  readonly gzip: boolean;
}

/**
 * Reads the products of a catalog file of any size as a stream; what is held of it at a time is a few rows.
 *
 * @throws {CatalogFileFault} for a fault of the file itself. What the source throws passes through unchanged.
 */
export function readCatalog(
  source: Readable,
  { format, gzip }: CatalogEncoding,
): AsyncGenerator<CatalogRow, void, undefined> {
  return cutRows(decode(gzip ? gunzip(source) : source), new CUTTERS[format]());
}

/** UTF-8 text of the bytes, a leading byte order mark removed; ends with the fault of bytes that are not gzip. */
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
  // The iteration of the result sees the error of either stream; the callback is only there to take it too.
  return pipeline(source, createGunzip(), () => {});
}

function faultOfGzip(error: unknown): CatalogFileFault | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'Z_BUF_ERROR') return new CatalogFileFault('FILE_TRUNCATED', 'the gzip data does not end');
  if (code === 'Z_DATA_ERROR')
    return new CatalogFileFault('FILE_NOT_GZIP', 'the data is not gzip, or damaged');
  return undefined;
}

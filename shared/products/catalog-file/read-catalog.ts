import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { MAX_PRODUCT_BYTES } from '../model.ts';
import type { CatalogFormat } from '../rules/catalog-object.ts';
import { CatalogFileFault } from './file-fault.ts';
import { readCsv } from './read-csv.ts';
import { type CatalogRow, type RowText, readRow } from './row.ts';
import { splitJsonArray } from './split-json-array.ts';
import { splitLines } from './split-lines.ts';

/** How the file is written: a part of what its key says. */
export interface CatalogEncoding {
  readonly format: CatalogFormat;
  readonly gzip: boolean;
}

/**
 * Reads the products of a catalog file of any size as a stream; what is held of it at a time is a few rows.
 *
 * @throws {CatalogFileFault} for a fault of the file itself. What the source throws passes through unchanged.
 */
export async function* readCatalog(
  source: Readable,
  { format, gzip }: CatalogEncoding,
): AsyncGenerator<CatalogRow, void, undefined> {
  const text = decode(gzip ? gunzip(source) : source);
  if (format === 'csv') return yield* readCsv(text);
  const rows: AsyncIterable<RowText> =
    format === 'ndjson' ? splitLines(text, MAX_PRODUCT_BYTES) : splitJsonArray(text, MAX_PRODUCT_BYTES);
  for await (const row of rows) yield readRow(row, MAX_PRODUCT_BYTES);
}

/** UTF-8 text of the bytes, a leading byte order mark removed. */
async function* decode(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder('utf-8');
  try {
    for await (const chunk of bytes) yield decoder.decode(chunk, { stream: true });
  } catch (error) {
    throw faultOfGzip(error) ?? error;
  }
  yield decoder.decode();
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

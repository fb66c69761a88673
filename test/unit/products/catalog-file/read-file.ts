import { Readable } from 'node:stream';
import type { CatalogRow, ReadRow } from '../../../../shared/products/catalog-file/model.ts';
import { type CatalogEncoding, readCatalog } from '../../../../shared/products/catalog-file/read-catalog.ts';
import { MAX_PRODUCT_BYTES } from '../../../../shared/products/model.ts';

/** Reads a file that arrives in pieces of `pieceBytes`. */
export async function readFile(
  file: string | Uint8Array,
  encoding: Partial<CatalogEncoding> = {},
  pieceBytes = 65_536,
): Promise<ReadRow[]> {
  const rows: ReadRow[] = [];
  for await (const row of openFile(file, encoding, pieceBytes)) rows.push(row);
  return rows;
}

/** The rows of a file that arrives in pieces of `pieceBytes`, one by one. */
export function openFile(
  file: string | Uint8Array,
  encoding: Partial<CatalogEncoding> = {},
  pieceBytes = 65_536,
): AsyncIterable<ReadRow> {
  const bytes = Buffer.from(file);
  const pieces = Array.from({ length: Math.ceil(bytes.length / pieceBytes) }, (_, index) =>
    bytes.subarray(index * pieceBytes, (index + 1) * pieceBytes),
  );
  return readCatalog(Readable.from(pieces, { objectMode: false }), {
    format: 'ndjson',
    gzip: false,
    ...encoding,
  });
}

/** The product of each row, or the code of its fault. */
export const products = (rows: readonly CatalogRow[]) =>
  rows.map((row) => ('product' in row ? row.product : row.fault.code));

export const numbers = (rows: readonly CatalogRow[]) => rows.map((row) => row.number);

/** More bytes than one product may have. */
export const tooLong = 'x'.repeat(MAX_PRODUCT_BYTES);

/** JSON so deep that a recursive walk overflows the stack. */
export const deep = `${'['.repeat(5000)}${']'.repeat(5000)}`;

import { REJECTION_FIELD } from '../../batches/rules/failed-rows.ts';
import type { Product, RowFault } from '../model.ts';

/** One product of a catalog file, or why it is none. */
export type CatalogRow =
  | { readonly number: number; readonly product: Product; readonly bytes: number }
  | { readonly number: number; readonly fault: RowFault };

/** A piece of a file's text that should be one product. */
export interface RowText {
  /** Line in `.ndjson` and `.csv` files, position in the array of `.json` files; from 1. */
  readonly number: number;
  /** `undefined`: longer than the limit, and not kept. */
  readonly text: string | undefined;
}

/** Reads a row's text as a product, as far as its form goes; its content is for the rules. */
export function readRow({ number, text }: RowText, maxBytes: number): CatalogRow {
  if (text === undefined) return tooLarge(number, maxBytes);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'not valid';
    return { number, fault: { code: 'ROW_NOT_JSON', message: `the row is not JSON: ${reason}` } };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { number, fault: { code: 'ROW_NOT_OBJECT', message: 'the row is not a JSON object' } };
  }
  // Rows that the connector gave back say why they failed: that is no field of a product.
  const { [REJECTION_FIELD]: _, ...product } = value as Product;
  return sizedRow(number, product, text, maxBytes);
}

/** A product with its size, unless it is too large or was not written in UTF-8. */
export function sizedRow(number: number, product: Product, text: string, maxBytes: number): CatalogRow {
  // The decoder puts U+FFFD where the bytes are no UTF-8: sent on, it would spoil names for good.
  if (text.includes('\uFFFD')) {
    return { number, fault: { code: 'ROW_NOT_UTF8', message: 'the row is not written in UTF-8' } };
  }
  const bytes = Buffer.byteLength(JSON.stringify(product));
  return bytes > maxBytes ? tooLarge(number, maxBytes) : { number, product, bytes };
}

function tooLarge(number: number, maxBytes: number): CatalogRow {
  return { number, fault: { code: 'ROW_TOO_LARGE', message: `the row is larger than ${maxBytes} bytes` } };
}

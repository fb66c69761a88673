import { REJECTION_FIELD } from '../../batches/model.ts';
import { jsonBytes } from '../../collections/packer.ts';
import { isObject, parseJsonOrThrow } from '../../collections/parse-json.ts';
import { MAX_PRODUCT_BYTES, type Product } from '../model.ts';
import { type CatalogRow, MAX_ROW_LENGTH } from './model.ts';
import { utf8Of } from './raw-text.ts';

/** Parses a row's JSON, given as raw text, as a product. `checkProduct` checks its fields. */
export function readRow(number: number, raw: string): CatalogRow {
  if (raw.length > MAX_ROW_LENGTH) return tooLarge(number);
  const text = utf8Of(raw);
  let value: unknown;
  try {
    value = parseJsonOrThrow(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'not valid';
    return faulty(number, 'ROW_NOT_JSON', `the row is not valid JSON: ${reason}`);
  }
  if (!isObject(value)) return faulty(number, 'ROW_NOT_OBJECT', 'the row is not a JSON object');
  // Rows that the connector returned have the reason of their failure: it is no field of a product.
  const { [REJECTION_FIELD]: _, ...product } = value;
  return sizedRow(number, product, text);
}

/** A product with its size, or its fault if it is too large or not in UTF-8. */
export function sizedRow(number: number, product: Product, text: string): CatalogRow {
  // Invalid UTF-8 was replaced by U+FFFD, which would corrupt names.
  if (text.includes('\uFFFD')) return faulty(number, 'ROW_NOT_UTF8', 'the row is not encoded in UTF-8');
  const bytes = jsonBytes(product);
  return bytes > MAX_PRODUCT_BYTES ? tooLarge(number) : { number, product, bytes };
}

export function tooLarge(number: number): CatalogRow {
  return faulty(number, 'ROW_TOO_LARGE', `the row is larger than ${MAX_PRODUCT_BYTES} bytes`);
}

export function faulty(number: number, code: string, message: string): CatalogRow {
  return { number, fault: { code, message } };
}

import { isObject } from '../collections/parse-json.ts';
import { oneLine } from '../collections/visible.ts';
import type { RowWarning } from './model.ts';

/** White space that a reader does not see, and characters without a width. */
const UNSEEN = /^\s|\s$|\s{2}|[^\S ]|[\p{Cc}\p{Cf}]/u;
const ALL_UNSEEN = /[\p{Cc}\p{Cf}]/gu;

/** Warns about a SKU of a row, or of a variant in it, that looks like another one: about the first. */
export function unseenCharacters(row: Readonly<Record<string, unknown>>): RowWarning[] {
  const sku = [row.sku, ...skusOfVariants(row.variants)].find(isUnseenIn);
  if (sku === undefined) return [];
  const plain = sku.normalize().replaceAll(ALL_UNSEEN, '').replaceAll(/\s+/g, ' ').trim();
  const message = `${oneLine(JSON.stringify(sku))} has white space, characters that are not seen or separate accents: it is another SKU than ${JSON.stringify(plain)}`;
  return [{ code: 'SKU_WHITE_SPACE', message }];
}

function isUnseenIn(sku: unknown): sku is string {
  return typeof sku === 'string' && (UNSEEN.test(sku) || sku !== sku.normalize());
}

function skusOfVariants(variants: unknown): unknown[] {
  const items = isObject(variants) && Array.isArray(variants.items) ? variants.items : [];
  return items.map((item) => (isObject(item) ? item.sku : undefined));
}

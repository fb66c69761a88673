import type { RowWarning } from './model.ts';

/** White space that a reader does not see, and characters without a width. */
const UNSEEN = /^\s|\s$|\s{2}|[^\S ]|[\p{Cc}\p{Cf}]/u;
const ALL_UNSEEN = /[\p{Cc}\p{Cf}]/gu;

/** Warns about a SKU that looks like another one. */
export function unseenCharacters({ sku }: { readonly sku?: unknown }): RowWarning[] {
  if (typeof sku !== 'string' || !UNSEEN.test(sku)) return [];
  const plain = sku.replaceAll(ALL_UNSEEN, '').replaceAll(/\s+/g, ' ').trim();
  const message = `${JSON.stringify(sku)} has white space or characters that are not seen: it is another SKU than ${JSON.stringify(plain)}`;
  return [{ code: 'SKU_WHITE_SPACE', message }];
}

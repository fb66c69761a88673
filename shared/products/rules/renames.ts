import { isDeepStrictEqual } from 'node:util';
import type { ProductChanges } from '../../marketplace/product-request.ts';
import type { Product } from '../../marketplace/products.ts';

/** An update sets the SKU `to` in place of the SKU `from`. */
export interface SkuRename {
  readonly from: string;
  readonly to: string;
}

type OptionGroups = NonNullable<ProductChanges['variants']>['optionGroups'];

/** Whether an update may rename a SKU, judged by the update alone. */
export function mayRename({ sku, variants }: ProductChanges): boolean {
  return sku !== undefined || (variants?.items ?? []).some(isNamedByOptions);
}

/**
 * The SKUs that an update replaces, of the product and of its variants. A variant is recognised by its options. It is renamed if the
 * update gives its options another SKU, which no variant had before, and the update has no variant with the old SKU.
 *
 * @param shown the product before the update.
 */
export function renamesOf({ sku, variants }: ProductChanges, shown: Product | undefined): SkuRename[] {
  const { sku: own, variants: before } = shown ?? {};
  const renames = own && sku !== undefined && own !== sku ? [{ from: own, to: sku }] : [];
  const items = variants?.items ?? [];
  const groups = variants?.optionGroups;
  // If the update changes the option groups, the indexes have another meaning.
  if (groups !== undefined && !isSameOptions(groups, before?.optionGroups ?? [])) return renames;
  const shownItems = before?.items ?? [];
  const kept = new Set(items.map((item) => item.sku));
  const known = new Set(shownItems.map((item) => item.sku));
  for (const item of items) {
    if (!isNamedByOptions(item) || known.has(item.sku)) continue;
    const sameOptions = shownItems.filter(
      (one) => one.isActive !== false && isDeepStrictEqual(one.optionIndexes, item.optionIndexes),
    );
    const [from] = sameOptions.map((one) => one.sku);
    if (sameOptions.length === 1 && from && !kept.has(from)) renames.push({ from, to: item.sku });
  }
  return renames;
}

function isNamedByOptions<Item extends { sku?: string | undefined; optionIndexes?: number[] | undefined }>(
  item: Item,
): item is Item & { sku: string } {
  return item.sku !== undefined && (item.optionIndexes?.length ?? 0) > 0;
}

function isSameOptions(
  a: NonNullable<OptionGroups>,
  b: readonly {
    readonly level: number;
    readonly name: string;
    readonly values: readonly { label: string }[];
  }[],
): boolean {
  const textOf = (groups: typeof b) =>
    groups
      .toSorted((one, other) => one.level - other.level)
      .map(({ level, name, values }) => ({ level, name, labels: values.map(({ label }) => label) }));
  return isDeepStrictEqual(textOf(a), textOf(b));
}

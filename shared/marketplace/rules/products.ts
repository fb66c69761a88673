import type { Problem } from './problem.ts';

interface StockLevels {
  readonly stock?: number | undefined;
  readonly warehouses?: readonly unknown[] | undefined;
}

interface OptionGroup {
  readonly level: number;
  readonly values: readonly unknown[];
}

/** Product-level fields that a product with variants does not take (§4.7). */
const FIELDS_OF_SIMPLE_PRODUCTS = ['price', 'specialPrice', 'stock', 'sku', 'warehouses'] as const;

type ProductChanges = { readonly [Field in (typeof FIELDS_OF_SIMPLE_PRODUCTS)[number]]?: unknown } & {
  readonly variants?: { readonly items?: readonly unknown[] | undefined } | undefined;
};

/** Stock exists at one level only: as `stock` or per warehouse, never both (§4.3, 4.4, 4.7). */
export function stockOrWarehouses({ stock, warehouses }: StockLevels): Problem[] {
  if (stock === undefined || warehouses === undefined) return [];
  const message = 'stock and warehouses must not be given together';
  return [{ path: ['warehouses'], rule: 'STOCK_OR_WAREHOUSES', message }];
}

/** Each variant picks one value of each option group, by level: an index into that group's values (§2). */
export function optionIndexesWithinGroups(
  items: readonly { readonly optionIndexes?: readonly number[] | undefined }[],
  optionGroups: readonly OptionGroup[],
): Problem[] {
  const groups = optionGroups.toSorted((a, b) => a.level - b.level);
  return items.flatMap(({ optionIndexes = [] }, item): Problem[] => {
    const path = ['items', item, 'optionIndexes'];
    if (optionIndexes.length !== groups.length) {
      const message = `optionIndexes must have one index per option group: ${groups.length}`;
      return [{ path, rule: 'OPTION_INDEX_PER_GROUP', message }];
    }
    return groups.flatMap(({ level, values }, group) => {
      if ((optionIndexes[group] ?? 0) < values.length) return [];
      const message = `there are only ${values.length} values at level ${level}`;
      return [{ path: [...path, group], rule: 'OPTION_INDEX_IN_GROUP', message }];
    });
  });
}

/**
 * What a product with variants does not take at product level (§4.7).
 *
 * @param hasVariants whether the product has variants now; an update that brings some counts as well.
 */
export function variantRestrictions(changes: ProductChanges, hasVariants = false): Problem[] {
  if (!hasVariants && (changes.variants?.items?.length ?? 0) === 0) return [];
  return FIELDS_OF_SIMPLE_PRODUCTS.filter((field) => changes[field] !== undefined).map((field) => ({
    path: [field],
    rule: 'NOT_WITH_VARIANTS',
    message: `${field} is not allowed on a product with variants`,
  }));
}

import type { OptionGroup, VariantItem } from '../schemas/product.ts';
import { type Violation, violation } from './violation.ts';

/** Each variant item must have the index of an existing value for each option group level (§2). */
export function checkOptionIndexes(
  items: readonly VariantItem[],
  optionGroups: readonly OptionGroup[],
): Violation | undefined {
  const levels = optionGroups.toSorted((left, right) => left.level - right.level);
  for (const [index, item] of items.entries()) {
    const field = `variants.items.${index}.optionIndexes`;
    const indexes = item.optionIndexes ?? [];
    if (indexes.length !== levels.length) {
      return violation('OPTION_INDEXES', field, `one index per option group level, ${levels.length} in all`);
    }
    const outside = indexes.findIndex((value, level) => value >= (levels[level]?.values.length ?? 0));
    if (outside >= 0) return violation('OPTION_INDEXES', field, `no such value in level ${outside + 1}`);
  }
  return undefined;
}

/** The fields that a product with variants must not have itself (§4.7). */
export function checkProductLevelFields(product: Record<string, unknown>): Violation | undefined {
  const field = ['price', 'specialPrice', 'stock', 'sku', 'warehouses'].find(
    (name) => product[name] !== undefined,
  );
  if (field === undefined) return undefined;
  return violation('PRODUCT_HAS_VARIANTS', field, 'not allowed on a product with variants');
}

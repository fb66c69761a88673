import type { OptionGroup, ProductAttributes } from '../schemas/product.ts';
import type { Offer } from './offer.ts';

export interface Variant {
  readonly offer: Offer;
  sku: string | undefined;
  optionIndexes: readonly number[];
  isActive: boolean;
  isDefault: boolean;
  sortOrder: number;
  photos: readonly string[];
  weight: number | undefined;
}

export interface Product {
  readonly id: string;
  externalId: string | undefined;
  /** The product's own SKU; undefined while it has variants. */
  sku: string | undefined;
  attributes: ProductAttributes;
  readonly offer: Offer;
  variants: Variant[];
  optionGroups: readonly OptionGroup[];
}

export function activeVariants(product: Product): Variant[] {
  return product.variants.filter((variant) => variant.isActive);
}

export function hasVariants(product: Product): boolean {
  return product.variants.some((variant) => variant.isActive);
}

/** The product's stock: its own, or the sum over its active variants. */
export function aggregateStock(product: Product): number {
  if (!hasVariants(product)) return product.offer.totalStock;
  return activeVariants(product).reduce((sum, variant) => sum + variant.offer.totalStock, 0);
}

/** The variant whose price the product shows: the default one, or else the first. */
export function leadingVariant(product: Product): Variant | undefined {
  const active = activeVariants(product);
  return active.find((variant) => variant.isDefault) ?? active[0];
}

/** The name of a variant: the labels of its options. */
export function variantName(product: Product, variant: Variant): string {
  const levels = product.optionGroups.toSorted((left, right) => left.level - right.level);
  const labels = levels.map((group, level) => group.values[variant.optionIndexes[level] ?? -1]?.label);
  return labels.filter((label) => label !== undefined).join(' / ');
}

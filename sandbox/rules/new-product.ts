import type { NewId } from '../identifiers.ts';
import { type ProductRow, productAttributes, type VariantItem } from '../schemas/product.ts';
import { Offer } from '../state/offer.ts';
import type { Product, Variant } from '../state/product.ts';
import type { Store } from '../state/store.ts';
import { stockAssignments } from './stock-modes.ts';

/** Makes a product without variants from a row; `time` is epoch ms. */
export function newProduct(store: Store, row: ProductRow, newId: NewId, time: number): Product {
  const offer = new Offer(newId(), 'product');
  const { price, specialPrice } = row;
  if (price !== undefined || specialPrice !== undefined) offer.setPrice(price ?? 0, specialPrice, time);
  offer.setStock(stockAssignments(store, row), time);
  return {
    id: offer.id,
    externalId: row.externalId,
    sku: row.sku,
    attributes: productAttributes.parse(row),
    offer,
    variants: [],
    optionGroups: [],
  };
}

/** Makes a product with variants from a row; `time` is epoch ms. */
export function newVariantProduct(store: Store, row: ProductRow, newId: NewId, time: number): Product {
  const product = newProduct(store, row, newId, time);
  product.optionGroups = row.variants?.optionGroups ?? [];
  product.variants = (row.variants?.items ?? []).map((item) => newVariant(store, item, newId, time));
  return product;
}

export function newVariant(store: Store, item: VariantItem, newId: NewId, time: number): Variant {
  const variant: Variant = {
    offer: new Offer(newId(), 'variant'),
    sku: item.sku,
    optionIndexes: [],
    isActive: true,
    isDefault: false,
    sortOrder: 0,
    photos: [],
    weight: undefined,
  };
  updateVariant(store, variant, item, time);
  return variant;
}

/** Updates a variant; omitted fields keep their values. An item without a status is active. */
export function updateVariant(store: Store, variant: Variant, item: VariantItem, time: number): void {
  variant.sku = item.sku ?? variant.sku;
  variant.optionIndexes = item.optionIndexes ?? variant.optionIndexes;
  variant.isActive = (item.status ?? 'ACTIVE') === 'ACTIVE';
  variant.isDefault = item.isDefault ?? variant.isDefault;
  variant.sortOrder = item.sortOrder ?? variant.sortOrder;
  variant.photos = item.photos ?? variant.photos;
  variant.weight = item.weight ?? variant.weight;
  if (item.price !== undefined) variant.offer.setPrice(item.price, undefined, time);
  variant.offer.setStock(stockAssignments(store, item), time);
}

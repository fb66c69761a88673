import { isDeepStrictEqual } from 'node:util';
import { formatProduct } from '../formatters/product.ts';
import type { NewId } from '../identifiers.ts';
import { type ProductChanges, productAttributes, type VariantItem } from '../schemas/product.ts';
import { hasVariants, leadingVariant, type Product, type Variant } from '../state/product.ts';
import type { Store } from '../state/store.ts';
import { newVariant, updateVariant } from './new-product.ts';
import { checkStockPayload, stockAssignments } from './stock-modes.ts';
import { checkOptionIndexes, checkProductLevelFields } from './variants.ts';
import { type Violation, violation } from './violation.ts';

/** The restrictions and warehouse modes of §4.7. */
export function checkUpdate(store: Store, product: Product, changes: ProductChanges): Violation | undefined {
  const items = changes.variants?.items ?? [];
  if (!hasVariants(product) && items.length === 0) return checkStockPayload(store, changes);
  return (
    checkProductLevelFields(changes) ?? checkItemStock(store, items) ?? checkItemOptions(product, changes)
  );
}

function checkItemStock(store: Store, items: readonly VariantItem[]): Violation | undefined {
  for (const [index, item] of items.entries()) {
    const field = `variants.items.${index}.`;
    if (store.warehouses.length === 0 && item.stock !== undefined) {
      return violation('STOCK_NOT_ALLOWED', `${field}stock`, 'the store has no warehouses');
    }
    const broken = checkStockPayload(store, item, field);
    if (broken) return broken;
  }
  return undefined;
}

function checkItemOptions(product: Product, { variants }: ProductChanges): Violation | undefined {
  const merged = (variants?.items ?? []).map((item) => ({
    ...item,
    optionIndexes: item.optionIndexes ?? [...(findVariant(product, item)?.optionIndexes ?? [])],
  }));
  return checkOptionIndexes(merged, variants?.optionGroups ?? product.optionGroups);
}

/** Applies checked changes. @returns the names of the fields that changed. `time`: epoch ms. */
export function applyUpdate(
  store: Store,
  product: Product,
  changes: ProductChanges,
  newId: NewId,
  time: number,
): string[] {
  const before = comparable(store, product);
  store.catalog.change(product, () => {
    product.attributes = { ...product.attributes, ...productAttributes.parse(changes) };
    applyOwnOffer(store, product, changes, time);
    if (changes.variants) applyVariants(store, product, changes.variants, newId, time);
  });
  const after = comparable(store, product);
  return Object.keys(changes).filter((field) => !isDeepStrictEqual(before[field], after[field]));
}

function applyOwnOffer(store: Store, product: Product, changes: ProductChanges, time: number): void {
  const { sku, price, specialPrice } = changes;
  const { offer } = product;
  product.sku = sku ?? product.sku;
  if (price !== undefined || specialPrice !== undefined)
    offer.setPrice(price ?? offer.price, specialPrice, time);
  offer.setStock(stockAssignments(store, changes), time);
}

/** The items are the final desired set of variants (§3). An empty list makes the product a simple one. */
function applyVariants(
  store: Store,
  product: Product,
  { items, optionGroups }: NonNullable<ProductChanges['variants']>,
  newId: NewId,
  time: number,
): void {
  if (optionGroups !== undefined) product.optionGroups = optionGroups;
  if (items === undefined) return;
  if (items.length === 0) {
    becomeSimple(store, product, time);
    return;
  }
  const desired = new Set(items.map((item) => upsertVariant(store, product, item, newId, time)));
  for (const variant of product.variants) if (!desired.has(variant)) variant.isActive = false;
  product.sku = undefined;
}

function upsertVariant(
  store: Store,
  product: Product,
  item: VariantItem,
  newId: NewId,
  time: number,
): Variant {
  const existing = findVariant(product, item);
  if (existing) {
    updateVariant(store, existing, item, time);
    return existing;
  }
  const created = newVariant(store, item, newId, time);
  product.variants.push(created);
  return created;
}

/** Items have no id, so a variant is found by its SKU, or else by its options. */
function findVariant(product: Product, item: VariantItem): Variant | undefined {
  const bySku = item.sku === undefined ? undefined : product.variants.find(({ sku }) => sku === item.sku);
  if (bySku !== undefined || !item.optionIndexes?.length) return bySku;
  return product.variants.find(({ optionIndexes }) => isDeepStrictEqual(optionIndexes, item.optionIndexes));
}

/** The specification is silent here: the product keeps its shown price and has no stock. */
function becomeSimple(store: Store, product: Product, time: number): void {
  const leading = leadingVariant(product);
  if (leading === undefined) return;
  for (const variant of product.variants) variant.isActive = false;
  product.offer.setPrice(leading.offer.price, leading.offer.specialPrice, time);
  product.offer.setStock(stockAssignments(store, { stock: 0 }), time);
}

function comparable(store: Store, product: Product): Record<string, unknown> {
  const stock = [...product.offer.stockByWarehouse];
  const { price, specialPrice } = product.offer;
  const { variants } = formatProduct(store, product);
  return { ...product.attributes, sku: product.sku, price, specialPrice, stock, warehouses: stock, variants };
}

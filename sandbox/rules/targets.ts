import type { AcceptedRow } from '../batches/batch.ts';
import type { Offer } from '../state/offer.ts';
import { hasVariants, type Product, type Variant } from '../state/product.ts';
import type { Store } from '../state/store.ts';
import type { RowIdentity } from './rows.ts';

/** The product or variant of a price or stock row. */
export interface Target {
  product: Product;
  variant?: Variant;
}

/** Finds a row's target by its one identifier: a product by id or external ID, a product or a variant by SKU. */
export function findTarget({ catalog }: Store, { id, sku, externalId }: RowIdentity): Target | undefined {
  if (sku !== undefined) return catalog.bySku(sku);
  const product = id === undefined ? catalog.byExternalId(externalId ?? '') : catalog.byId(id);
  return product && { product };
}

/** Whether a row names a product with variants: price and stock belong to the variants. */
export function namesVariantProduct({ product, variant }: Target): boolean {
  return variant === undefined && hasVariants(product);
}

export function offerOf({ product, variant }: Target): Offer {
  return (variant ?? product).offer;
}

export function acceptedStockRow(rowIndex: number, target: Target): AcceptedRow {
  const { externalId } = target.product;
  const { target: kind, id } = offerOf(target);
  return { rowIndex, target: kind, id, externalId, ...(target.variant ? { sku: target.variant.sku } : {}) };
}

export function acceptedPriceRow(rowIndex: number, target: Target): AcceptedRow {
  const { target: kind, id } = offerOf(target);
  const name = target.variant ? { sku: target.variant.sku } : { externalId: target.product.externalId };
  return { target: kind, id, rowIndex, ...name };
}

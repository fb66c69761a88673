import type { ProductChanges } from '../../marketplace/product-request.ts';

/** What an update says of a product's listing: items of `price.changed` and `stock.changed` (§4.8, 4.9). */
export interface ListingPart {
  readonly prices: readonly Record<string, unknown>[];
  readonly stocks: readonly Record<string, unknown>[];
}

/**
 * Parts an update of a product into what belongs to the listing, where the newest value wins, and what is left for
 * the product (design §5.1). A lowered price without a price is no price item, and stays with the product.
 */
export function splitUpdate(
  productId: string,
  changes: ProductChanges,
): { product: ProductChanges; listing: ListingPart } {
  const { price, specialPrice, stock, warehouses, ...rest } = changes;
  const lone = price === undefined && specialPrice !== undefined;
  const priceItem = { id: productId, price, ...(specialPrice !== undefined && { specialPrice }) };
  const stockItem = {
    id: productId,
    ...(stock !== undefined && { stock }),
    ...(warehouses && { warehouses }),
  };
  return {
    product: lone ? { ...rest, specialPrice } : rest,
    listing: {
      prices: price === undefined ? [] : [priceItem],
      stocks: stock === undefined && warehouses === undefined ? [] : [stockItem],
    },
  };
}

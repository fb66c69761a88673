import type { ProductChanges } from '../../marketplace/product-request.ts';

/** What an update says of a product's listing: items of `price.changed` and `stock.changed` (§4.8, 4.9). */
export interface ListingPart {
  readonly prices: readonly Record<string, unknown>[];
  readonly stocks: readonly Record<string, unknown>[];
}

export interface UpdateParts {
  /** What is left for the product itself. */
  readonly product: ProductChanges;
  readonly listing: ListingPart;
  /** A special price without a price: no row of §4.8 yet. */
  readonly specialPrice?: number | null | undefined;
}

type VariantItem = NonNullable<NonNullable<ProductChanges['variants']>['items']>[number];

/**
 * Parts an update of a product into what belongs to its listing and its variants' listings, where the newest value
 * wins, and what is left for the product (design §5.1). The values of a variant without a SKU, which no item could
 * name, stay with the product.
 */
export function splitUpdate(productId: string, changes: ProductChanges): UpdateParts {
  const { price, specialPrice, stock, warehouses, variants, ...rest } = changes;
  const own = listingPart({ id: productId }, { price, specialPrice, stock, warehouses });
  const items = variants?.items?.map(splitVariant);
  const parts = [own, ...(items ?? []).map(({ listing }) => listing)];
  return {
    product: {
      ...rest,
      ...(variants && { variants: { ...variants, ...(items && { items: items.map(({ item }) => item) }) } }),
    },
    listing: {
      prices: parts.flatMap(({ prices }) => prices),
      stocks: parts.flatMap(({ stocks }) => stocks),
    },
    ...(price === undefined && specialPrice !== undefined && { specialPrice }),
  };
}

/** Whether an update is about listings alone, so that it waits in their queue and no call has to be made for it. */
export function isAboutListings({ product, specialPrice }: UpdateParts): boolean {
  return Object.keys(product).length === 0 && specialPrice === undefined;
}

/** SKUs of the variants that an update may create. */
export function variantSkusOf({ variants }: ProductChanges): string[] {
  return (variants?.items ?? []).flatMap(({ sku }) => (sku === undefined ? [] : [sku]));
}

function splitVariant(whole: VariantItem): { item: VariantItem; listing: ListingPart } {
  const { price, stock, warehouses, ...item } = whole;
  if (item.sku === undefined) return { item: whole, listing: { prices: [], stocks: [] } };
  return { item, listing: listingPart({ sku: item.sku }, { price, stock, warehouses }) };
}

function listingPart(
  target: { readonly id: string } | { readonly sku: string },
  { price, specialPrice, stock, warehouses }: Offer,
): ListingPart {
  const stocks = { ...(stock !== undefined && { stock }), ...(warehouses && { warehouses }) };
  return {
    prices:
      price === undefined ? [] : [{ ...target, price, ...(specialPrice !== undefined && { specialPrice }) }],
    stocks: Object.keys(stocks).length === 0 ? [] : [{ ...target, ...stocks }],
  };
}

type Offer = Pick<ProductChanges, 'price' | 'specialPrice' | 'stock' | 'warehouses'>;

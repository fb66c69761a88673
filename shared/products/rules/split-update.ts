import type { ProductChanges } from '../../marketplace/product-request.ts';
import type { StoreNames } from '../../stores/model.ts';
import { priceNameOf } from '../../stores/rules/names.ts';

/** What an update says of listings: items of `price.changed` and `stock.changed` (§4.8, 4.9). */
export interface ListingPart {
  readonly prices: readonly Record<string, unknown>[];
  readonly stocks: readonly Record<string, unknown>[];
}

export interface UpdateParts {
  /** What is left for the product itself. */
  readonly product: ProductChanges;
  /** What belongs to the product's own listing. */
  readonly own: Offer;
  /** The items of its variants. */
  readonly variants: ListingPart;
  /** Whether the product must be read first, for its name in the store or for the price that a special price goes with. */
  readonly isReadNeeded: boolean;
}

export type Offer = Pick<ProductChanges, 'price' | 'specialPrice' | 'stock' | 'warehouses'>;
type VariantItem = NonNullable<NonNullable<ProductChanges['variants']>['items']>[number];

/**
 * Parts an update of a product into what belongs to its listing and its variants' listings, where the newest value
 * wins, and what is left for the product (design §5.1). Values of a variant that no item of the store could name stay
 * with the product: those of one without a SKU, and in a store that does not name its products by SKU.
 */
export function splitUpdate(changes: ProductChanges, names: StoreNames): UpdateParts {
  const { price, specialPrice, stock, warehouses, variants, ...rest } = changes;
  const own = {
    ...(price !== undefined && { price }),
    ...(specialPrice !== undefined && { specialPrice }),
    ...(stock !== undefined && { stock }),
    ...(warehouses !== undefined && { warehouses }),
  };
  const items = variants?.items?.map((item) => splitVariant(item, names));
  const hasPrice = price !== undefined || specialPrice !== undefined;
  const hasStock = stock !== undefined || warehouses !== undefined;
  return {
    product: {
      ...rest,
      ...(variants && { variants: { ...variants, ...(items && { items: items.map(({ item }) => item) }) } }),
    },
    own,
    variants: {
      prices: (items ?? []).flatMap(({ listing }) => listing.prices),
      stocks: (items ?? []).flatMap(({ listing }) => listing.stocks),
    },
    isReadNeeded:
      (hasPrice && (price === undefined || priceNameOf(names) !== 'id')) ||
      (hasStock && names.products !== 'id'),
  };
}

/** Whether an update is about listings alone, so that it waits in their queue and no call has to be made for it. */
export function isAboutListings({ product, isReadNeeded }: UpdateParts): boolean {
  return Object.keys(product).length === 0 && !isReadNeeded;
}

/** SKUs that an update may give to the product, or to variants that it creates. */
export function skusOf({ sku, variants }: ProductChanges): string[] {
  return [sku, ...(variants?.items ?? []).map((item) => item.sku)].filter((one) => one !== undefined);
}

/** The items of an offer; `price` and `stock` name its target in each kind. */
export function itemsOf(
  { price, specialPrice, stock, warehouses }: Offer,
  names: { readonly price: Record<string, string>; readonly stock: Record<string, string> },
): ListingPart {
  const stocks = { ...(stock !== undefined && { stock }), ...(warehouses && { warehouses }) };
  const special = specialPrice !== undefined && { specialPrice };
  return {
    prices: price === undefined ? [] : [{ ...names.price, price, ...special }],
    stocks: Object.keys(stocks).length === 0 ? [] : [{ ...names.stock, ...stocks }],
  };
}

function splitVariant(whole: VariantItem, names: StoreNames): { item: VariantItem; listing: ListingPart } {
  const { price, stock, warehouses, ...item } = whole;
  const isPriceListed = item.sku !== undefined && priceNameOf(names) === 'sku';
  const isStockListed = item.sku !== undefined && names.products === 'sku';
  const kept = {
    ...(!isPriceListed && price !== undefined && { price }),
    ...(!isStockListed && stock !== undefined && { stock }),
    ...(!isStockListed && warehouses !== undefined && { warehouses }),
  };
  const offer = { ...(isPriceListed && { price }), ...(isStockListed && { stock, warehouses }) };
  const target = { sku: item.sku ?? '' };
  return { item: { ...item, ...kept }, listing: itemsOf(offer, { price: target, stock: target }) };
}

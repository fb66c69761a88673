import * as z from 'zod';
import { type ProductChanges, productChanges } from '../../marketplace/product-request.ts';
import type { Product } from '../../marketplace/products.ts';
import type { StoreNames } from '../../stores/model.ts';
import { priceNameOf } from '../../stores/rules/names.ts';
import { mayRename } from './renames.ts';

const row = z.record(z.string(), z.unknown());
const offerFields = ['price', 'specialPrice', 'stock', 'warehouses'] as const;
const stockFields = ['stock', 'warehouses'] as const;

/** The prices and stock in an update, as items of `price.changed` and `stock.changed` (§4.8, 4.9). */
export const listingPartSchema = z.object({ prices: z.array(row), stocks: z.array(row) });
export type ListingPart = z.infer<typeof listingPartSchema>;

/** An update as its request stores it. */
export const updateItemSchema = z.object({
  /** Product ID, in lower case. */
  id: z.string(),
  changes: productChanges,
  /** Price and stock of the product, for its listing. The product's name in the store may not be known yet. */
  offer: row,
  variants: listingPartSchema,
});
export type UpdateItem = z.infer<typeof updateItemSchema>;

/** The kind of name in a store's rows of prices and stock ("One name per store" in docs/architecture.md). */
export type ProductName = StoreNames['products'];

type VariantItem = NonNullable<NonNullable<ProductChanges['variants']>['items']>[number];

/**
 * Splits an update into changes of listings (of the product and its variants), for which the newest value wins, and other changes of
 * the product. If a variant has no name of the kind that the store's rows use, its values stay with the product, and negative stock
 * among them becomes 0 here. Negative stock of a listing becomes 0 when its change is taken.
 */
export function splitUpdate(productId: string, changes: ProductChanges, name: ProductName): UpdateItem {
  const { price, specialPrice, stock, warehouses, variants, ...rest } = changes;
  const parts = variants?.items?.map((item) => splitVariant(item, name));
  return {
    id: productId.toLowerCase(),
    changes: {
      ...rest,
      ...(variants && { variants: { ...variants, ...(parts && { items: parts.map(({ item }) => item) }) } }),
    },
    offer: pickFields(changes, offerFields),
    variants: {
      prices: (parts ?? []).flatMap(({ prices }) => prices),
      stocks: (parts ?? []).flatMap(({ stocks }) => stocks),
    },
  };
}

/** Whether `listingOf` needs the product. */
export function needsProduct({ offer, changes }: UpdateItem, name: ProductName): boolean {
  // If the update replaces a SKU, the listing of the old SKU ends.
  const isNamed = Object.keys(offer).length > 0 || mayRename(changes);
  return isLoneSpecialPrice(offer) || (name !== 'id' && isNamed);
}

/**
 * The prices and stock in an update, under the kind of name that the store uses. A special price without a price gets
 * the product's current price, as every row of §4.8 needs a price. In the listing, any price of the
 * partner replaces this price.
 *
 * @param shown the product as read; needed if `needsProduct`.
 * @param sku the SKU that the update sets. Default: the product's SKU.
 */
export function listingOf(
  { id, offer, variants }: UpdateItem,
  name: ProductName,
  {
    shown,
    sku = shown?.sku ?? undefined,
  }: { readonly shown?: Product | undefined; readonly sku?: string | undefined },
): ListingPart | { readonly fault: { code: string; message: string; field: string } } {
  const field = isLoneSpecialPrice(offer) ? 'detail.changes.specialPrice' : 'detail.changes';
  const refuse = (reason: string) => ({
    fault: { code: 'ROW_INVALID', message: `${field}: ${reason}`, field },
  });
  if (shown?.hasVariant && Object.keys(offer).length > 0)
    return refuse('a product with variants has no price or stock of its own: set those of its variants');
  const names = { id, sku, externalId: shown?.externalId };
  const price = pickFields(offer, ['price', 'specialPrice']);
  const stock = pickFields(offer, stockFields);
  const priceName = priceNameOf({ products: name });
  for (const [values, by] of [
    [price, priceName],
    [stock, name],
  ] as const) {
    if (Object.keys(values).length > 0 && !names[by])
      return refuse(`rows of price and stock need the product's ${by}, and it has none`);
  }
  if (isLoneSpecialPrice(offer) && typeof shown?.price !== 'number') {
    return refuse('the product has no price at the marketplace: give a price too');
  }
  const shownPrice = isLoneSpecialPrice(offer) ? { shownPrice: shown?.price } : {};
  return {
    prices: [...rowsOf({ [priceName]: names[priceName] }, { ...price, ...shownPrice }), ...variants.prices],
    stocks: [...rowsOf({ [name]: names[name] }, stock), ...variants.stocks],
  };
}

/** SKUs that an update sets on the product or its variants: earlier rows with these names may have been rejected. */
export function skusSetBy({ sku, variants }: ProductChanges): string[] {
  return [{ sku }, ...(variants?.items ?? [])].flatMap((one) => (one.sku === undefined ? [] : [one.sku]));
}

function splitVariant(whole: VariantItem, name: ProductName): { item: VariantItem } & ListingPart {
  const { sku, ...values } = whole;
  if (sku === undefined || name === 'id')
    return { item: withoutNegativeStock(whole), prices: [], stocks: [] };
  const price = pickFields(values, ['price']);
  const stock = name === 'sku' ? pickFields(values, stockFields) : {};
  const moved = new Set(Object.keys({ ...price, ...stock }));
  const item = Object.fromEntries(Object.entries(whole).filter(([field]) => !moved.has(field)));
  return {
    item: withoutNegativeStock(item),
    prices: rowsOf({ sku }, price),
    stocks: rowsOf({ sku }, stock),
  };
}

function withoutNegativeStock(item: VariantItem): VariantItem {
  const { stock, warehouses } = item;
  return {
    ...item,
    ...(stock !== undefined && { stock: Math.max(0, stock) }),
    ...(warehouses && {
      warehouses: warehouses.map((one) => ({ ...one, stock: Math.max(0, one.stock) })),
    }),
  };
}

function isLoneSpecialPrice({ price, specialPrice }: UpdateItem['offer']): boolean {
  return price === undefined && specialPrice !== undefined;
}

function pickFields(values: object, fields: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(values).filter(([field, value]) => fields.includes(field) && value !== undefined),
  );
}

function rowsOf(name: object, values: object): ListingPart['prices'] {
  return Object.keys(values).length === 0 ? [] : [{ ...name, ...values }];
}

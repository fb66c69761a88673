import type { Store, StoreNames } from '../model.ts';

/** The setting with the default of each name. */
const settingOf = { products: 'productNames', orders: 'orderNames' } as const;

/** The fault of a row with another kind of name than its store's; `undefined` if the kinds are equal. */
export function nameFault<What extends keyof StoreNames>(
  what: What,
  expected: StoreNames[What],
  given: StoreNames[What],
): { readonly code: 'NAME_KIND'; readonly message: string; readonly field: string } | undefined {
  if (given === expected) return undefined;
  const where = `names.${what} of PUT /stores/{storeClientId}, by default the setting ${settingOf[what]}`;
  return {
    code: 'NAME_KIND',
    message: `the store names its ${what} by ${expected}, not by ${given} (${where})`,
    field: given,
  };
}

/** The kind of name in rows of prices: §4.8 has no `externalId`. */
export function priceNameOf({ products }: Pick<StoreNames, 'products'>): 'sku' | 'id' {
  return products === 'externalId' ? 'sku' : products;
}

/** The kinds of name in the listings of a store. */
export function listingNamesOf(products: StoreNames['products']): StoreNames['products'][] {
  return products === 'externalId' ? ['externalId', 'sku'] : [products];
}

/** The kinds of name whose listings must be deleted after a renaming. Listings by SKU may still be valid. */
export function formerNamesOf({
  formerName,
  names: { products },
}: Pick<Store, 'formerName' | 'names'>): StoreNames['products'][] {
  if (formerName === undefined) return [];
  return listingNamesOf(formerName).filter((name) => name === formerName || name !== products);
}

/** The names that a caller gives. */
export type GivenNames = { readonly [What in keyof StoreNames]?: StoreNames[What] | undefined };

/** The store's names, replaced by the given ones. */
export function namesWith(names: StoreNames, { products, orders }: GivenNames = {}): StoreNames {
  return { products: products ?? names.products, orders: orders ?? names.orders };
}

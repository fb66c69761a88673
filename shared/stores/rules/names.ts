import type { Store, StoreNames } from '../model.ts';

/** The setting with the default of each of a store's names. */
const settingOf = { products: 'productNames', orders: 'orderNames' } as const;

/**
 * Why a row can not go by the name that it uses, as its store names its products or orders another way;
 * `undefined` where it can.
 */
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

/** By which name prices go: no row of §4.8 has an `externalId`. */
export function priceNameOf({ products }: Pick<StoreNames, 'products'>): 'sku' | 'id' {
  return products === 'externalId' ? 'sku' : products;
}

/** Which names listings go by in a store that names its products so. */
export function listingNamesOf(products: StoreNames['products']): StoreNames['products'][] {
  return products === 'externalId' ? ['externalId', 'sku'] : [products];
}

/** Whose listings are to be dropped when a store's products go by another name: prices by SKU may be good still. */
export function formerNamesOf({
  formerName,
  names: { products },
}: Pick<Store, 'formerName' | 'names'>): StoreNames['products'][] {
  if (formerName === undefined) return [];
  return listingNamesOf(formerName).filter((name) => name === formerName || name !== products);
}

/** Some of a store's names, as a caller gives them. */
export type GivenNames = { readonly [What in keyof StoreNames]?: StoreNames[What] | undefined };

/** A store's names with those that are given in place of its own. */
export function namesWith(names: StoreNames, { products, orders }: GivenNames = {}): StoreNames {
  return { products: products ?? names.products, orders: orders ?? names.orders };
}

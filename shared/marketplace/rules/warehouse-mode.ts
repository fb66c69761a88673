import type { Problem } from './problem.ts';
import { variantRestrictions } from './products.ts';

interface StockLevels {
  readonly stock?: number | undefined;
  readonly warehouses?: readonly (string | { readonly clientId: string })[] | undefined;
}

interface ProductStock extends StockLevels {
  readonly variants?: { readonly items?: readonly StockLevels[] | undefined } | undefined;
}

/** Which warehouses a stock item of §4.9 may name: those of the store. */
export function stockItemInStore(item: StockLevels, storeWarehouses: readonly string[]): Problem[] {
  return warehousesOfStore(item, storeWarehouses, []);
}

/**
 * What a new product may say about stock in a store with these warehouses (§4.3 – 4.6): none of its own per warehouse
 * where there are no warehouses, and only known ones where there are.
 *
 * @param storeWarehouses clientIds of the store's warehouses.
 */
export function newProductInStore(product: ProductStock, storeWarehouses: readonly string[]): Problem[] {
  return [
    ...warehousesOfStore(product, storeWarehouses, []),
    ...variantItems(product).flatMap(([item, path]) => warehousesOfStore(item, storeWarehouses, path)),
  ];
}

/**
 * What an update may change of a product as it is now, in a store with these warehouses (§4.7): as for a new one, and
 * a store without warehouses takes no stock on variants at all.
 */
export function productChangesInStore(
  changes: ProductStock & {
    readonly price?: unknown;
    readonly specialPrice?: unknown;
    readonly sku?: unknown;
  },
  current: { readonly hasVariants: boolean; readonly storeWarehouses: readonly string[] },
): Problem[] {
  return [
    ...variantRestrictions(changes, current.hasVariants),
    ...newProductInStore(changes, current.storeWarehouses),
    ...(current.storeWarehouses.length === 0 ? variantItems(changes).flatMap(noVariantStock) : []),
  ];
}

function variantItems({ variants }: ProductStock): (readonly [StockLevels, (string | number)[]])[] {
  return (variants?.items ?? []).map((item, index) => [item, ['variants', 'items', index]] as const);
}

function noVariantStock([{ stock }, path]: readonly [StockLevels, (string | number)[]]): Problem[] {
  if (stock === undefined) return [];
  const message = 'a store without warehouses takes no stock on variants';
  return [{ path: [...path, 'stock'], rule: 'NO_WAREHOUSES', message }];
}

function warehousesOfStore(
  { warehouses }: StockLevels,
  storeWarehouses: readonly string[],
  path: (string | number)[],
): Problem[] {
  if (warehouses === undefined) return [];
  if (storeWarehouses.length === 0) {
    const message = 'a store without warehouses takes stock only';
    return [{ path: [...path, 'warehouses'], rule: 'NO_WAREHOUSES', message }];
  }
  return warehouses.flatMap((warehouse, index) => {
    const clientId = typeof warehouse === 'string' ? warehouse : warehouse.clientId;
    if (storeWarehouses.includes(clientId)) return [];
    const message = `the store has no warehouse ${clientId}`;
    return [{ path: [...path, 'warehouses', index], rule: 'WAREHOUSE_UNKNOWN', message }];
  });
}

import type { StockRow } from '../schemas/product.ts';
import type { StockAssignment } from '../state/offer.ts';
import type { Store } from '../state/store.ts';
import { type Violation, violation } from './violation.ts';

/** The stock of a product or a variant item in a payload. */
export interface StockPayload {
  stock?: number | undefined;
  warehouses?: readonly { clientId: string; stock: number }[] | undefined;
}

/** The stock rules of §4.3, 4.4 and 4.7 for one level of a product; `field` is the payload's path. */
export function checkStockPayload(store: Store, payload: StockPayload, field = ''): Violation | undefined {
  const { stock, warehouses } = payload;
  if (warehouses === undefined) return undefined;
  if (stock !== undefined) {
    return violation('STOCK_AND_WAREHOUSES', `${field}warehouses`, 'stock or warehouses, never both');
  }
  return checkWarehouses(
    store,
    warehouses.map(({ clientId }) => clientId),
    `${field}warehouses`,
  );
}

/** The rules of a stock row (§4.9). */
export function checkStockRow(store: Store, row: StockRow): Violation | undefined {
  const { stock, warehouses } = row;
  if (warehouses === undefined) {
    return stock === undefined
      ? violation('STOCK_MISSING', 'stock', 'stock or warehouses is required')
      : undefined;
  }
  const perWarehouse = warehouses.some((entry) => typeof entry === 'object');
  if (perWarehouse && stock !== undefined) {
    return violation('STOCK_AND_WAREHOUSES', 'stock', 'not allowed beside per-warehouse stock');
  }
  if (!perWarehouse && warehouses.length > 0 && stock === undefined) {
    return violation('STOCK_MISSING', 'stock', 'required with a list of warehouses');
  }
  return checkWarehouses(store, warehouses.map(clientIdOf), 'warehouses');
}

function clientIdOf(entry: string | { clientId: string }): string {
  return typeof entry === 'string' ? entry : entry.clientId;
}

function checkWarehouses(store: Store, clientIds: readonly string[], field: string): Violation | undefined {
  if (store.warehouses.length === 0) {
    return violation('WAREHOUSES_NOT_ALLOWED', field, 'the store has no warehouses');
  }
  if (clientIds.length === 0) return violation('WAREHOUSES_EMPTY', field, 'must not be empty');
  const unknown = clientIds.find(
    (clientId) => !store.warehouses.some((known) => known.clientId === clientId),
  );
  if (unknown === undefined) return undefined;
  return violation('WAREHOUSE_NOT_FOUND', field, `unknown clientId ${unknown}`);
}

/**
 * The values that a payload sets. Global stock sets the full value in each warehouse of the store, or on the listing itself
 * if the store has none. `warehouses` sets the listed warehouses only.
 */
export function stockAssignments(
  store: Store,
  { stock, warehouses }: Pick<StockRow, 'stock' | 'warehouses'>,
): StockAssignment[] {
  if (warehouses !== undefined) {
    return warehouses.map((entry) =>
      typeof entry === 'string'
        ? { clientId: entry, stock: stock ?? 0 }
        : { clientId: entry.clientId, stock: entry.stock },
    );
  }
  if (stock === undefined) return [];
  if (store.warehouses.length === 0) return [{ clientId: null, stock }];
  return store.warehouses.map(({ clientId }) => ({ clientId, stock }));
}

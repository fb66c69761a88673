import type { MarketplaceClient } from '../../marketplace/client.ts';
import type { Clock } from '../../time/clock.ts';
import type { Store, StoreWarehouses } from '../model.ts';
import type { StoreTable } from '../ports.ts';

export interface StoreWarehousesPorts {
  readonly stores: Pick<StoreTable, 'putWarehouses'>;
  readonly marketplace: Pick<MarketplaceClient, 'listWarehouses'>;
  readonly clock: Pick<Clock, 'now'>;
}

/** After this long remembered warehouses are read anew, whatever is asked of them. Milliseconds. */
const GOOD_FOR_MS = 24 * 60 * 60_000;
const NEVER = new Date(0).toISOString();

/**
 * The clientIds of a store's warehouses, as far as they are needed to judge the `named` ones: those that are remembered
 * unless they lack a named one, which shows that they may be stale; then they are read anew.
 *
 * @throws MarketplaceError when they have to be read and can't be
 */
export async function storeWarehouses(
  ports: StoreWarehousesPorts,
  store: Store,
  named: readonly string[],
): Promise<readonly string[]> {
  const { warehouses } = store;
  if (warehouses !== undefined && isGood(warehouses, named, ports.clock.now())) return warehouses.clientIds;
  const { data } = await ports.marketplace.listWarehouses(store);
  const clientIds = data.map(({ clientId }) => clientId);
  await rememberWarehouses(ports, store.storeClientId, clientIds);
  return clientIds;
}

/** Keeps a store's warehouses as they were just read. */
export async function rememberWarehouses(
  { stores, clock }: Pick<StoreWarehousesPorts, 'stores' | 'clock'>,
  storeClientId: string,
  clientIds: readonly string[],
): Promise<void> {
  const readAt = new Date(clock.now()).toISOString();
  await stores.putWarehouses(storeClientId, { clientIds: [...clientIds], readAt });
}

/** Has a store's warehouses read anew when they are next asked for. */
export async function doubtWarehouses(
  { stores }: Pick<StoreWarehousesPorts, 'stores'>,
  { storeClientId, warehouses }: Store,
): Promise<void> {
  if (warehouses !== undefined) await stores.putWarehouses(storeClientId, { ...warehouses, readAt: NEVER });
}

function isGood({ clientIds, readAt }: StoreWarehouses, named: readonly string[], now: number): boolean {
  return now - Date.parse(readAt) < GOOD_FOR_MS && named.every((clientId) => clientIds.includes(clientId));
}

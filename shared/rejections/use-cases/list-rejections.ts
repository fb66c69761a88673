import { ConnectorError } from '../../errors/connector-error.ts';
import type { StoreTable } from '../../stores/ports.ts';
import { allStoreIds } from '../../stores/use-cases/all-stores.ts';
import { type RejectionTable, UNKNOWN_STORE } from '../model.ts';

export interface ListRejectionsPorts {
  readonly stores: Pick<StoreTable, 'list'>;
  readonly rejections: Pick<RejectionTable, 'listOfStores'>;
}

/** Most stores whose rejections are listed together: each costs a query. */
export const MOST_STORES = 50;

/**
 * Rejections of one store, the newest first. Without a store: rejections of all stores, and of events that name no connected store.
 *
 * @throws ConnectorError `STORE_REQUIRED` without a store, if there are more than 50 stores
 */
export async function listRejections(
  { stores, rejections }: ListRejectionsPorts,
  storeClientId: string | undefined,
  query: Parameters<RejectionTable['listOfStores']>[1],
): ReturnType<RejectionTable['listOfStores']> {
  if (storeClientId !== undefined) return rejections.listOfStores([storeClientId], query);
  const all = await allStoreIds(stores);
  if (all.length > MOST_STORES)
    throw new ConnectorError(`there are more than ${MOST_STORES} stores: give storeClientId`, {
      code: 'STORE_REQUIRED',
    });
  return rejections.listOfStores([...all, UNKNOWN_STORE], query);
}

import { eachPage } from '../../collections/page-request.ts';
import type { Store } from '../model.ts';
import type { StoreTable } from '../ports.ts';

export async function allStores(stores: Pick<StoreTable, 'list'>): Promise<Store[]> {
  const pages = await Array.fromAsync(eachPage(stores.list));
  return pages.flatMap((page) => page.stores);
}

export async function allStoreIds(stores: Pick<StoreTable, 'list'>): Promise<string[]> {
  return (await allStores(stores)).map(({ storeClientId }) => storeClientId);
}

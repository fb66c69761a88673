import type { Store } from '../../shared/stores/model.ts';
import type { StoreTable } from '../../shared/stores/ports.ts';
import { compareText, pageOf } from './page-of.ts';
import { directly, type Step } from './step.ts';

/** The Stores table in memory; tables over the same `stores` are one table. */
export function inMemoryStoreTable(
  step: Step = directly,
  stores: Map<string, Store> = new Map(),
): StoreTable {
  return {
    get: (storeClientId) =>
      step(`stores.read ${storeClientId}`, () => {
        const store = stores.get(storeClientId);
        return store === undefined ? undefined : { ...store };
      }),

    put: (store) =>
      step(`stores.put ${store.storeClientId}`, () => {
        stores.set(store.storeClientId, { ...store });
      }),

    suspend: ({ storeClientId, storeToken }, stateReason, updatedAt) =>
      step(`stores.suspend ${storeClientId}`, () => {
        const store = stores.get(storeClientId);
        if (store?.state !== 'connected' || store.storeToken !== storeToken) return false;
        stores.set(storeClientId, { ...store, state: 'suspended', stateReason, updatedAt });
        return true;
      }),

    list: (options) =>
      step('stores.list', () => {
        const all = [...stores.values()].sort((a, b) => compareText(a.storeClientId, b.storeClientId));
        const { page, ...cursor } = pageOf(all, ({ storeClientId }) => storeClientId, options);
        return { stores: page.map((store) => ({ ...store })), ...cursor };
      }),
  };
}

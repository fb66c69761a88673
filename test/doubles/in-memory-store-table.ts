import type { Store, StoreCredentials } from '../../shared/stores/model.ts';
import type { StoreTable } from '../../shared/stores/ports.ts';
import {
  STORE_TRANSITIONS,
  type StoreTransition,
  type StoreTransitionName,
} from '../../shared/stores/rules/transitions.ts';
import { compareText, pageOf } from './page-of.ts';
import { directly, type Step } from './step.ts';

/** The Stores table in memory; tables over the same `stores` are one table. */
export function inMemoryStoreTable(
  step: Step = directly,
  stores: Map<string, Store> = new Map(),
): StoreTable {
  const change = (
    name: StoreTransitionName,
    { storeClientId, storeToken }: StoreCredentials,
    facts: Pick<Store, 'updatedAt' | 'stateReason'>,
  ) =>
    step(`stores.${name} ${storeClientId}`, () => {
      const { from, to }: StoreTransition = STORE_TRANSITIONS[name];
      const store = stores.get(storeClientId);
      if (store === undefined || !from.includes(store.state) || store.storeToken !== storeToken) return false;
      const { stateReason: _, ...kept } = store;
      stores.set(storeClientId, { ...kept, ...facts, state: to });
      return true;
    });

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

    suspend: (store, stateReason, updatedAt) => change('suspend', store, { updatedAt, stateReason }),
    resume: (store, updatedAt) => change('resume', store, { updatedAt }),
    unbind: (store, updatedAt) => change('unbind', store, { updatedAt }),

    putWarehouses: (storeClientId, warehouses) =>
      step(`stores.putWarehouses ${storeClientId}`, () => {
        const store = stores.get(storeClientId);
        if (store !== undefined) stores.set(storeClientId, { ...store, warehouses });
      }),

    list: (options) =>
      step('stores.list', () => {
        const all = [...stores.values()].sort((a, b) => compareText(a.storeClientId, b.storeClientId));
        const { page, ...cursor } = pageOf(all, ({ storeClientId }) => storeClientId, options);
        return { stores: page.map((store) => ({ ...store })), ...cursor };
      }),
  };
}

import { isDeepStrictEqual } from 'node:util';
import { definedOf } from '../../shared/collections/defined-of.ts';
import type { StoreCredentials } from '../../shared/marketplace/request.ts';
import type { Store, StoreEvent } from '../../shared/stores/model.ts';
import { STORE_TRANSITIONS, type StoreTransitionName } from '../../shared/stores/model.ts';
import type { StoreTable } from '../../shared/stores/ports.ts';
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
    event: StoreEvent,
  ) =>
    step(`stores.${name} ${storeClientId}`, () => {
      const { from, to } = STORE_TRANSITIONS[name];
      const store = stores.get(storeClientId);
      if (store === undefined || !from.includes(store.state) || store.storeToken !== storeToken) {
        return (store?.unpublishedEvents ?? []).some((kept) => isDeepStrictEqual(kept, event));
      }
      const { stateReason: _, unpublishedEvents = [], ...kept } = store;
      const reason = 'reason' in event ? { stateReason: event.reason } : {};
      stores.set(storeClientId, {
        ...kept,
        ...reason,
        updatedAt: event.at,
        state: to,
        unpublishedEvents: [...unpublishedEvents, event],
      });
      return true;
    });

  const inOrder = () => [...stores.values()].sort((a, b) => compareText(a.storeClientId, b.storeClientId));

  return {
    get: (storeClientId) =>
      step(`stores.read ${storeClientId}`, () => {
        const store = stores.get(storeClientId);
        return store === undefined ? undefined : { ...store };
      }),

    put: (
      {
        unpublishedEvents: _,
        discardedAt: __,
        renamingUntil: ___,
        formerName: ____,
        repair: _____,
        numbers: ______,
        negativeStock: _______,
        ...store
      },
      event,
    ) =>
      step(`stores.put ${store.storeClientId}`, () => {
        const before = stores.get(store.storeClientId);
        const unpublishedEvents = [...(before?.unpublishedEvents ?? []), ...(event ? [event] : [])];
        const {
          names,
          discardedAt,
          renamingUntil,
          formerName,
          repair,
          numbers,
          negativeStock,
        }: Partial<Store> & Pick<Store, 'names'> = before ?? { names: store.names };
        const { sid, reference } = before ?? {};
        stores.set(store.storeClientId, {
          ...definedOf({ sid, reference, ...store }),
          names,
          ...(discardedAt === undefined ? {} : { discardedAt }),
          ...(renamingUntil === undefined ? {} : { renamingUntil }),
          ...(formerName === undefined ? {} : { formerName }),
          ...definedOf({ repair, numbers, negativeStock }),
          ...(unpublishedEvents.length === 0 ? {} : { unpublishedEvents }),
        });
      }),

    suspend: (store, event) => change('suspend', store, event),
    resume: (store, event) => change('resume', store, event),
    unbind: (store, event) => change('unbind', store, event),

    forgetEvent: (storeClientId, { at, detailType }) =>
      step(`stores.forgetEvent ${storeClientId}`, () => {
        const store = stores.get(storeClientId);
        const [oldest, ...unpublishedEvents] = store?.unpublishedEvents ?? [];
        if (store === undefined || oldest?.at !== at || oldest.detailType !== detailType) return;
        stores.set(storeClientId, { ...store, unpublishedEvents });
      }),

    listUnpublished: (options) =>
      step('stores.listUnpublished', () => {
        const { page, ...cursor } = pageOf(inOrder(), ({ storeClientId }) => storeClientId, options);
        const keeping = page.flatMap(({ storeClientId, unpublishedEvents = [] }) =>
          unpublishedEvents.length === 0 ? [] : [{ storeClientId, unpublishedEvents }],
        );
        return { stores: keeping, unreadable: [], ...cursor };
      }),

    beginRenaming: (storeClientId, { now, until }) =>
      step(`stores.beginRenaming ${storeClientId}`, () => {
        const store = stores.get(storeClientId);
        if (store === undefined || (store.renamingUntil ?? 0) > now) return false;
        stores.set(storeClientId, { ...store, renamingUntil: until });
        return true;
      }),

    endRenaming: (storeClientId, until, change) =>
      step(`stores.endRenaming ${storeClientId}`, () => {
        const { renamingUntil, ...store } = stores.get(storeClientId) ?? {};
        if (renamingUntil !== until) return false;
        stores.set(storeClientId, { ...(store as Store), ...change });
        return true;
      }),

    forgetFormerName: (storeClientId, name) =>
      step(`stores.forgetFormerName ${storeClientId}`, () => {
        const { formerName, ...store } = stores.get(storeClientId) ?? {};
        if (formerName === name) stores.set(storeClientId, store as Store);
      }),

    setSettings: (storeClientId, { repair, numbers, negativeStock }) =>
      step(`stores.setSettings ${storeClientId}`, () => {
        const store = stores.get(storeClientId);
        if (store === undefined) return;
        const { numbers: before, ...others } = store;
        const known = numbers === null ? {} : definedOf({ numbers: numbers ?? before });
        stores.set(storeClientId, { ...others, ...known, ...definedOf({ repair, negativeStock }) });
      }),

    discardCommands: (storeClientId, at) =>
      step(`stores.discardCommands ${storeClientId}`, () => {
        const store = stores.get(storeClientId);
        if (store !== undefined) stores.set(storeClientId, { ...store, discardedAt: at });
      }),

    list: (options) =>
      step('stores.list', () => {
        const { page, ...cursor } = pageOf(inOrder(), ({ storeClientId }) => storeClientId, options);
        return { stores: page.map((store) => ({ ...store })), ...cursor };
      }),
  };
}

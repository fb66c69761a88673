import { beforeEach, describe, expect, test } from 'vitest';
import { createStoreTable } from '../../../shared/aws/store-table.ts';
import type { Store } from '../../../shared/stores/model.ts';
import type { StoreTable } from '../../../shared/stores/ports.ts';
import { inMemoryStoreTable } from '../../doubles/in-memory-store-table.ts';
import { useLocalTables } from './local-tables.ts';
import { freshId, readAllPages } from './support.ts';

const local = useLocalTables();
const AT = '2026-01-01T00:00:00.000Z';
const LATER = '2026-01-02T00:00:00.000Z';

describe.each<[string, () => StoreTable]>([
  ['in memory', () => inMemoryStoreTable()],
  ['on DynamoDB', () => createStoreTable(local().client, local().tableName('Stores'))],
])('StoreTable %s', (_, create) => {
  let stores: StoreTable;
  let store: Store;

  beforeEach(async () => {
    stores = create();
    const storeClientId = freshId('store');
    store = { storeClientId, storeToken: 'token', state: 'connected', connectedAt: AT, updatedAt: AT };
    await stores.put(store);
  });

  test('put makes a store and replaces it whole', async () => {
    expect(await stores.get(store.storeClientId)).toEqual(store);
    const replaced: Store = { ...store, storeToken: 'rotated', stateReason: 'by hand', updatedAt: LATER };
    await stores.put(replaced);
    expect(await stores.get(store.storeClientId)).toEqual(replaced);
  });

  test('a store that nobody put is not there', async () => {
    expect(await stores.get(freshId('store'))).toBeUndefined();
  });

  test('suspend stops a connected store and keeps the reason', async () => {
    expect(await stores.suspend(store, 'AUTH_014: blocked', LATER)).toBe(true);
    expect(await stores.get(store.storeClientId)).toEqual({
      ...store,
      state: 'suspended',
      stateReason: 'AUTH_014: blocked',
      updatedAt: LATER,
    });
  });

  test('suspend changes nothing a second time', async () => {
    await stores.suspend(store, 'first', AT);
    expect(await stores.suspend(store, 'second', LATER)).toBe(false);
    expect(await stores.get(store.storeClientId)).toMatchObject({ stateReason: 'first', updatedAt: AT });
  });

  test('suspend leaves a store alone whose token was rotated meanwhile', async () => {
    expect(await stores.suspend({ ...store, storeToken: 'old' }, 'AUTH_014', LATER)).toBe(false);
    expect(await stores.get(store.storeClientId)).toEqual(store);
  });

  test('resume connects a suspended store again, and no other', async () => {
    expect(await stores.resume(store, LATER)).toBe(false);
    await stores.suspend(store, 'AUTH_014', AT);
    expect(await stores.resume(store, LATER)).toBe(true);
    expect(await stores.get(store.storeClientId)).toMatchObject({ state: 'connected', updatedAt: LATER });
  });

  test('unbind ends a connected or suspended store, once', async () => {
    await stores.suspend(store, 'AUTH_014', AT);
    expect(await stores.unbind(store, LATER)).toBe(true);
    expect(await stores.get(store.storeClientId)).toMatchObject({ state: 'unbound', updatedAt: LATER });
    expect(await stores.unbind(store, LATER)).toBe(false);
    expect(await stores.resume(store, LATER)).toBe(false);
  });

  test('a store that is not there can not be suspended', async () => {
    const unknown = { storeClientId: freshId('store'), storeToken: 'token' };
    expect(await stores.suspend(unknown, 'AUTH_014', LATER)).toBe(false);
    expect(await stores.get(unknown.storeClientId)).toBeUndefined();
  });

  test('putWarehouses remembers them and leaves all else as it is', async () => {
    const warehouses = { clientIds: ['wh-1', 'wh-2'], readAt: LATER };
    await stores.putWarehouses(store.storeClientId, warehouses);
    expect(await stores.get(store.storeClientId)).toEqual({ ...store, warehouses });
  });

  test('putWarehouses makes no store of one that is not there', async () => {
    const unknown = freshId('store');
    await stores.putWarehouses(unknown, { clientIds: [], readAt: AT });
    expect(await stores.get(unknown)).toBeUndefined();
  });

  test('list gives every store once, page by page', async () => {
    const ids = Array.from({ length: 4 }, (__, index) => `${store.storeClientId}-${index}`);
    for (const storeClientId of ids) await stores.put({ ...store, storeClientId });
    const all = await readAllPages(async (page) => {
      const { stores: entries, ...rest } = await stores.list(page);
      return { entries, ...rest };
    });
    const listed = all.map(({ storeClientId }) => storeClientId);
    expect(listed.filter((id) => id.startsWith(`${store.storeClientId}-`)).toSorted()).toEqual(ids);
  });
});

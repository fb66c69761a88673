import { DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { beforeEach, describe, expect, test } from 'vitest';
import { createStoreTable } from '../../../shared/aws/store-table.ts';
import { ConnectorError } from '../../../shared/errors/connector-error.ts';
import type { Store } from '../../../shared/stores/model.ts';
import type { StoreTable } from '../../../shared/stores/ports.ts';
import { inMemoryStoreTable } from '../../doubles/in-memory-store-table.ts';
import { useLocalTables } from './local-tables.ts';
import { freshId, readAllPages } from './support.ts';

const local = useLocalTables();
const AT = '2026-01-01T00:00:00.000Z';
const LATER = '2026-01-02T00:00:00.000Z';

const suspended = (reason: string, at: string) => ({ detailType: 'store.suspended', at, reason }) as const;
const connected = (at: string) => ({ detailType: 'store.connected', at }) as const;
const unbound = (at: string) => ({ detailType: 'store.unbound', at }) as const;

describe.each<[string, () => StoreTable]>([
  ['in memory', () => inMemoryStoreTable()],
  ['on DynamoDB', () => createStoreTable(local().client, local().tableName('Stores'))],
])('StoreTable %s', (_, create) => {
  let stores: StoreTable;
  let store: Store;

  beforeEach(async () => {
    stores = create();
    const storeClientId = freshId('store');
    store = {
      storeClientId,
      storeToken: 'token',
      state: 'connected',
      names: { products: 'sku', orders: 'orderId' },
      connectedAt: AT,
      updatedAt: AT,
    };
    await stores.put(store);
  });

  test('put creates a store and replaces it whole', async () => {
    expect(await stores.get(store.storeClientId)).toEqual(store);
    const replaced: Store = { ...store, storeToken: 'rotated', stateReason: 'by hand', updatedAt: LATER };
    await stores.put(replaced);
    expect(await stores.get(store.storeClientId)).toEqual(replaced);
  });

  test('put keeps the onboarding of a store, unless it gives another', async () => {
    const { storeClientId } = store;
    await stores.put({ ...store, sid: 'sid-1', reference: 'customer 1' });
    await stores.put({ ...store, storeToken: 'rotated' });
    expect(await stores.get(storeClientId)).toMatchObject({ sid: 'sid-1', reference: 'customer 1' });
    await stores.put({ ...store, sid: 'sid-2', reference: undefined });
    expect(await stores.get(storeClientId)).toEqual({ ...store, sid: 'sid-2' });
  });

  test('get returns nothing for a store that was never put', async () => {
    expect(await stores.get(freshId('store'))).toBeUndefined();
  });

  test('suspend stops a connected store and keeps the reason', async () => {
    expect(await stores.suspend(store, suspended('AUTH_014: blocked', LATER))).toBe(true);
    expect(await stores.get(store.storeClientId)).toEqual({
      ...store,
      state: 'suspended',
      stateReason: 'AUTH_014: blocked',
      updatedAt: LATER,
      unpublishedEvents: [suspended('AUTH_014: blocked', LATER)],
    });
  });

  test('suspend does nothing to a suspended store', async () => {
    await stores.suspend(store, suspended('first', AT));
    expect(await stores.suspend(store, suspended('second', LATER))).toBe(false);
    expect(await stores.get(store.storeClientId)).toMatchObject({ stateReason: 'first', updatedAt: AT });
  });

  test('suspend reports its own change again until its event is forgotten, whatever came after', async () => {
    const event = suspended('AUTH_014', AT);
    await stores.suspend(store, event);
    expect(await stores.suspend(store, event)).toBe(true);
    await stores.resume(store, connected(LATER));
    await stores.put({ ...store, storeToken: 'rotated' });
    expect(await stores.suspend(store, event)).toBe(true);
    expect(await stores.get(store.storeClientId)).toMatchObject({
      state: 'connected',
      unpublishedEvents: [event, connected(LATER)],
    });
    await stores.forgetEvent(store.storeClientId, event);
    expect(await stores.suspend(store, event)).toBe(false);
  });

  test('suspend does nothing to a store whose token was rotated meanwhile', async () => {
    expect(await stores.suspend({ ...store, storeToken: 'old' }, suspended('AUTH_014', LATER))).toBe(false);
    expect(await stores.get(store.storeClientId)).toEqual(store);
  });

  test('resume connects a suspended store and no other', async () => {
    expect(await stores.resume(store, connected(LATER))).toBe(false);
    await stores.suspend(store, suspended('AUTH_014', AT));
    expect(await stores.resume(store, connected(LATER))).toBe(true);
    expect(await stores.get(store.storeClientId)).toMatchObject({
      state: 'connected',
      updatedAt: LATER,
    });
  });

  test('unbind ends a connected or suspended store, once', async () => {
    await stores.suspend(store, suspended('AUTH_014', AT));
    expect(await stores.unbind(store, unbound(LATER))).toBe(true);
    expect(await stores.get(store.storeClientId)).toMatchObject({ state: 'unbound', updatedAt: LATER });
    expect(await stores.unbind(store, unbound(AT))).toBe(false);
    expect(await stores.resume(store, connected(LATER))).toBe(false);
  });

  const other = { products: 'id', orders: 'invoiceNumber' } as const;
  const renaming = { now: 1_000, until: 2_000 };

  test('endRenaming sets the names that beginRenaming prepared, and keeps the former one until it is forgotten', async () => {
    const { storeClientId } = store;
    expect(await stores.beginRenaming(storeClientId, renaming)).toBe(true);
    expect(await stores.get(storeClientId)).toEqual({ ...store, renamingUntil: 2_000 });
    expect(await stores.endRenaming(storeClientId, 2_000, { names: other, formerName: 'sku' })).toBe(true);
    expect(await stores.get(storeClientId)).toEqual({ ...store, names: other, formerName: 'sku' });
    await stores.forgetFormerName(storeClientId, 'externalId');
    expect(await stores.get(storeClientId)).toMatchObject({ formerName: 'sku' });
    await stores.forgetFormerName(storeClientId, 'sku');
    expect(await stores.get(storeClientId)).toEqual({ ...store, names: other });
  });

  test('beginRenaming is refused during another one, and for an unknown store', async () => {
    const { storeClientId } = store;
    await stores.beginRenaming(storeClientId, renaming);
    expect(await stores.beginRenaming(storeClientId, { now: 1_999, until: 3_000 })).toBe(false);
    expect(await stores.beginRenaming(storeClientId, { now: 2_000, until: 3_000 })).toBe(true);
    expect(await stores.endRenaming(storeClientId, 2_000, { names: other })).toBe(false);
    expect(await stores.endRenaming(storeClientId, 3_000)).toBe(true);
    expect(await stores.get(storeClientId)).toEqual(store);
    expect(await stores.beginRenaming(freshId('store'), renaming)).toBe(false);
  });

  test('put keeps the names of an existing store and the state of their change', async () => {
    const { storeClientId } = store;
    await stores.beginRenaming(storeClientId, renaming);
    await stores.endRenaming(storeClientId, 2_000, { names: other, formerName: 'sku' });
    await stores.beginRenaming(storeClientId, renaming);
    await stores.put({ ...store, storeToken: 'rotated' });
    const kept = { names: other, formerName: 'sku', renamingUntil: 2_000 };
    expect(await stores.get(storeClientId)).toEqual({ ...store, storeToken: 'rotated', ...kept });
  });

  test('setSettings sets what is given, is kept when the store is put again, and makes no store', async () => {
    const numbers = { decimal: ',', thousands: '.' } as const;
    await stores.setSettings(store.storeClientId, { numbers });
    await stores.setSettings(store.storeClientId, { repair: false });
    await stores.setSettings(store.storeClientId, { negativeStock: 'reject' });
    await stores.put({ ...store, storeToken: 'other' });
    const kept = { storeToken: 'other', repair: false, negativeStock: 'reject' };
    expect(await stores.get(store.storeClientId)).toMatchObject({ ...kept, numbers });
    await stores.setSettings(store.storeClientId, { numbers: null });
    expect(await stores.get(store.storeClientId)).toEqual({ ...store, ...kept });
    const unknown = freshId('store');
    await stores.setSettings(unknown, { repair: false });
    expect(await stores.get(unknown)).toBeUndefined();
  });

  test('discardCommands records its time for an existing store only', async () => {
    await stores.discardCommands(store.storeClientId, LATER);
    expect(await stores.get(store.storeClientId)).toEqual({ ...store, discardedAt: LATER });
    const unknown = freshId('store');
    await stores.discardCommands(unknown, LATER);
    expect(await stores.get(unknown)).toBeUndefined();
  });

  test('put keeps the time until which commands were discarded', async () => {
    await stores.discardCommands(store.storeClientId, LATER);
    await stores.put(store);
    await stores.put({ ...store, discardedAt: AT });
    expect(await stores.get(store.storeClientId)).toEqual({ ...store, discardedAt: LATER });
  });

  test('suspend does nothing to an unknown store', async () => {
    const unknown = { storeClientId: freshId('store'), storeToken: 'token' };
    expect(await stores.suspend(unknown, suspended('AUTH_014', LATER))).toBe(false);
    expect(await stores.get(unknown.storeClientId)).toBeUndefined();
  });

  test('every change appends its event, and forgetEvent removes the oldest one only', async () => {
    const reason = suspended('AUTH_014', AT);
    await stores.suspend(store, reason);
    await stores.resume(store, connected(AT));
    await stores.put({ ...store, storeToken: 'rotated' }, connected(LATER));
    await stores.unbind({ ...store, storeToken: 'rotated' }, unbound(LATER));
    const unpublishedEvents = async () => (await stores.get(store.storeClientId))?.unpublishedEvents;
    expect(await unpublishedEvents()).toEqual([reason, connected(AT), connected(LATER), unbound(LATER)]);
    await stores.forgetEvent(store.storeClientId, connected(AT));
    expect(await unpublishedEvents()).toHaveLength(4);
    await stores.forgetEvent(store.storeClientId, reason);
    await stores.forgetEvent(store.storeClientId, reason);
    expect(await unpublishedEvents()).toEqual([connected(AT), connected(LATER), unbound(LATER)]);
  });

  test('put keeps the events of an existing store', async () => {
    await stores.suspend(store, suspended('AUTH_014', AT));
    await stores.put(store);
    expect(await stores.get(store.storeClientId)).toEqual({
      ...store,
      unpublishedEvents: [suspended('AUTH_014', AT)],
    });
  });

  test('listUnpublished returns the stores with unpublished events, without tokens', async () => {
    const ids = Array.from({ length: 4 }, (__, index) => `${store.storeClientId}-${index}`);
    for (const [index, storeClientId] of ids.entries())
      await stores.put({ ...store, storeClientId }, index % 2 === 0 ? connected(AT) : undefined);
    await stores.put({ ...store, storeClientId: `${store.storeClientId}-announced` }, connected(AT));
    await stores.forgetEvent(`${store.storeClientId}-announced`, connected(AT));
    const all = await readAllPages(async (page) => {
      const { stores: entries, unreadable, ...rest } = await stores.listUnpublished(page);
      expect(unreadable).toEqual([]);
      return { entries, ...rest };
    });
    const own = all.filter(({ storeClientId }) => storeClientId.startsWith(store.storeClientId));
    expect(own.toSorted((a, b) => a.storeClientId.localeCompare(b.storeClientId))).toEqual(
      [0, 2].map((index) => ({ storeClientId: ids[index], unpublishedEvents: [connected(AT)] })),
    );
  });

  test('list returns every store once, page by page', async () => {
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

test('listUnpublished reports an unreadable event separately from the events of other stores', async () => {
  const { client, tableName: nameOf } = local();
  const TableName = nameOf('Stores');
  const stores = createStoreTable(client, TableName);
  const [broken, other] = [freshId('store'), freshId('store')];
  const record = {
    storeToken: 'token',
    state: 'connected',
    names: { products: 'sku', orders: 'orderId' },
    connectedAt: AT,
    updatedAt: AT,
  } as const;
  await client.send(
    new PutCommand({
      TableName,
      Item: {
        storeClientId: broken,
        ...record,
        unpublishedEvents: [{ detailType: 'store.connected', at: 1 }],
      },
    }),
  );
  await stores.put({ storeClientId: other, ...record }, connected(AT));
  const page = await stores.listUnpublished();
  await client.send(new DeleteCommand({ TableName, Key: { storeClientId: broken } }));
  expect(page.stores).toContainEqual({ storeClientId: other, unpublishedEvents: [connected(AT)] });
  expect(page.unreadable).toEqual([
    new ConnectorError(
      `${TableName} {"storeClientId":"${broken}"} can not be read: unpublishedEvents[0].at: Invalid input: expected string, received number`,
      { code: 'RECORD_UNREADABLE' },
    ),
  ]);
});

import { beforeEach, describe, expect, test } from 'vitest';
import { createOrderTable } from '../../../shared/aws/order-table.ts';
import type { OrderRecord } from '../../../shared/orders/model.ts';
import type { OrderTable } from '../../../shared/orders/ports.ts';
import { inMemoryOrderTable } from '../../doubles/in-memory-order-table.ts';
import { useLocalTables } from './local-tables.ts';
import { freshId, readAllPages } from './support.ts';
import { versionedTableContract } from './versioned-table-contract.ts';

const local = useLocalTables();
const orderKey = 'orderId:o-1';
const LOCK_MS = 91_000;

describe.each<[string, () => OrderTable]>([
  ['in memory', () => inMemoryOrderTable()],
  ['on DynamoDB', () => createOrderTable(local().client, local().tableName('Orders'), 400)],
])('OrderTable %s', (_, create) => {
  let orders: OrderTable;
  let store: string;

  beforeEach(() => {
    orders = create();
    store = freshId('store');
  });

  const record = (): OrderRecord => ({
    storeClientId: store,
    orderKey,
    orderId: 'o-1',
    decision: {
      state: 'accepted',
      commandId: 'c-1',
      recordId: 'r-1',
      startedAt: '2026-01-01T00:00:01.000Z',
      endedAt: '2026-01-01T00:00:02.000Z',
      decision: 'reject',
      reasonCode: 'OUT_OF_STOCK',
    },
    dropoff: {
      state: 'sending',
      commandId: 'c-3',
      recordId: 'r-3',
      startedAt: '2026-01-01T00:00:04.000Z',
      lock: { holder: 's-3', until: 5 },
      before: { state: 'unknown', commandId: 'c-2', recordId: 'r-2', startedAt: '2026-01-01T00:00:03.000Z' },
    },
    documents: { invoice: { state: 'stored', commandId: 'c-2', at: '2026-01-01T00:00:03.000Z', key: 'k' } },
  });

  versionedTableContract<OrderRecord>(() => ({
    update: (change) => orders.update(store, orderKey, change),
    numbered: (number) => ({ ...record(), invoiceNumber: String(number) }),
    numberOf: ({ invoiceNumber }) => Number(invoiceNumber),
  }));

  test('update stores a decision that is sent again, both with the longest reason', async () => {
    const longest = { decision: 'reject', reasonCode: 'é'.repeat(200), reason: '€'.repeat(10_000) } as const;
    const facts = { ...longest, commandId: 'c-1', recordId: 'r-1', startedAt: '2026-01-01T00:00:01.000Z' };
    const before = { state: 'unknown', ...facts } as const;
    const decision = { state: 'sending', ...facts, lock: { holder: 's-1', until: 5 }, before } as const;
    const order = { ...record(), decision };
    expect(await orders.update(store, orderKey, () => order)).toEqual(order);
  });

  test('update creates a record and get returns it whole', async () => {
    expect(await orders.update(store, orderKey, record)).toEqual(record());
    expect(await orders.get(store, orderKey)).toEqual(record());
  });

  test('remove deletes an order as it was read, which may then be created anew', async () => {
    await orders.update(store, orderKey, record);
    const order = (await orders.get(store, orderKey)) ?? expect.unreachable();
    expect(await orders.remove(order)).toBe(true);
    expect(await orders.get(store, orderKey)).toBeUndefined();
    expect(await orders.remove(order)).toBe(false);
    expect(await orders.update(store, orderKey, (current) => current ?? record())).toEqual(record());
  });

  test('remove keeps an order that has changed since it was read', async () => {
    await orders.update(store, orderKey, record);
    const order = (await orders.get(store, orderKey)) ?? expect.unreachable();
    const changed = { ...record(), invoiceNumber: 'i-1' };
    await orders.update(store, orderKey, () => changed);
    expect(await orders.remove(order)).toBe(false);
    expect(await orders.get(store, orderKey)).toEqual(changed);
  });

  test('get returns only the record of its own store and key', async () => {
    await orders.update(store, orderKey, record);
    expect(await orders.get(freshId('store'), orderKey)).toBeUndefined();
    expect(await orders.get(store, 'invoiceNumber:o-1')).toBeUndefined();
  });

  test('list returns the orders of the store, the newest request first, page by page, and those of a state', async () => {
    const at = (second: number) => `2026-01-01T00:00:0${second}.000Z`;
    const facts = { commandId: 'c', recordId: 'r' };
    const put = (key: string, order: Partial<OrderRecord>, storeClientId = store) =>
      orders.update(storeClientId, key, () => ({ storeClientId, orderKey: key, ...order }));
    await put('orderId:1', { decision: { state: 'accepted', ...facts, startedAt: at(1), endedAt: at(9) } });
    await put('orderId:2', { documents: { invoice: { state: 'stored', commandId: 'c', at: at(4) } } });
    await put('orderId:3', {
      decision: { state: 'accepted', ...facts, startedAt: at(2) },
      dropoff: { state: 'unknown', ...facts, startedAt: at(5) },
    });
    await put('orderId:4', { decision: { state: 'rejected', ...facts, startedAt: at(3) } });
    await put('orderId:5', {});
    const other = freshId('store');
    await put('orderId:1', { decision: { state: 'accepted', ...facts, startedAt: at(1) } }, other);
    const keysOf = async (state?: 'accepted' | 'unknown') => {
      const found = await readAllPages(async (page) => {
        const { orders: entries, ...cursor } = await orders.list(store, { ...page, state });
        return { entries, ...cursor };
      });
      return found.map((order) => order.orderKey.at(-1));
    };
    expect(await keysOf()).toEqual(['3', '2', '4', '1']);
    expect(await keysOf('accepted')).toEqual(['3', '1']);
    expect(await keysOf('unknown')).toEqual(['3']);
  });

  test('listUnknown returns the orders of the store with an unknown outcome, the longest unknown first, page by page', async () => {
    const start = Date.parse('2026-01-01T00:00:00.000Z');
    const orderOf = (index: number, state: 'accepted' | 'unknown' | 'sending'): OrderRecord => {
      const at = new Date(start + index * 1_000).toISOString();
      const facts = { commandId: 'c', recordId: `r-${index}`, startedAt: at };
      const lock = { holder: `s-${index}`, until: start + index * 1_000 + LOCK_MS };
      const dropoff = state === 'sending' ? { state, ...facts, lock } : { state, ...facts, endedAt: at };
      return { storeClientId: store, orderKey: `orderId:${index}`, orderId: String(index), dropoff };
    };
    const states = ['unknown', 'accepted', 'unknown', 'sending', 'unknown', 'unknown'] as const;
    for (const [index, state] of [...states.entries()].reverse()) {
      await orders.update(store, `orderId:${index}`, () => orderOf(index, state));
    }
    const other = freshId('store');
    await orders.update(other, orderKey, () => ({ ...orderOf(0, 'unknown'), storeClientId: other }));
    await orders.update(store, 'orderId:0', () => orderOf(0, 'accepted'));

    const idsAt = async (now: number) => {
      const found = await readAllPages(async (page) => {
        const { orders: entries, ...cursor } = await orders.listUnknown(store, { ...page, now });
        return { entries, ...cursor };
      });
      return found.map(({ orderId }) => orderId);
    };
    expect(await idsAt(start + 4_000)).toEqual(['2', '4']);
    expect(await idsAt(start + 5_000)).toEqual(['2', '4', '5']);
    expect(await idsAt(start + 3_000 + LOCK_MS)).toEqual(['2', '4', '5']);
  });
});

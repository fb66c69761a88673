import { beforeEach, describe, expect, test } from 'vitest';
import { createOrderTable } from '../../../shared/aws/order-table.ts';
import type { OrderRecord } from '../../../shared/orders/model.ts';
import type { OrderTable } from '../../../shared/orders/ports.ts';
import { inMemoryOrderTable } from '../../doubles/in-memory-order-table.ts';
import { useLocalTables } from './local-tables.ts';
import { freshId } from './support.ts';

const local = useLocalTables();
const orderKey = 'orderId:o-1';

describe.each<[string, () => OrderTable]>([
  ['in memory', () => inMemoryOrderTable()],
  ['on DynamoDB', () => createOrderTable(local().client, local().tableName('Orders'))],
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
      state: 'done',
      commandId: 'c-1',
      attemptId: 'a-1',
      startedAt: '2026-01-01T00:00:01.000Z',
      endedAt: '2026-01-01T00:00:02.000Z',
      decision: 'reject',
      reasonCode: 'OUT_OF_STOCK',
    },
    documents: { invoice: { state: 'stored', commandId: 'c-2', at: '2026-01-01T00:00:03.000Z', key: 'k' } },
  });

  test('update makes a record and get reads it back whole', async () => {
    expect(await orders.update(store, orderKey, record)).toEqual(record());
    expect(await orders.get(store, orderKey)).toEqual(record());
  });

  test('a record is of one store and one key only', async () => {
    await orders.update(store, orderKey, record);
    expect(await orders.get(freshId('store'), orderKey)).toBeUndefined();
    expect(await orders.get(store, 'invoiceNumber:o-1')).toBeUndefined();
  });

  test('update writes nothing where there is nothing to change', async () => {
    expect(await orders.update(store, orderKey, () => undefined)).toBeUndefined();
    await orders.update(store, orderKey, record);
    expect(await orders.update(store, orderKey, () => undefined)).toEqual(record());
  });

  test('of writers that come together each sees what the one before it wrote', async () => {
    const numbers = Array.from({ length: 5 }, (_, index) => String(index));
    await Promise.all(
      numbers.map((number) =>
        orders.update(store, orderKey, (current) => ({
          storeClientId: store,
          orderKey,
          invoiceNumber: `${current?.invoiceNumber ?? ''}${number}`,
        })),
      ),
    );
    const { invoiceNumber = '' } = (await orders.get(store, orderKey)) ?? {};
    expect([...invoiceNumber].sort()).toEqual(numbers);
  });
});

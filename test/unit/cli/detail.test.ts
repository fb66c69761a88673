import { expect, test } from 'vitest';
import { detailOf } from '../../../cli/events/detail.ts';
import { schemasOfEventsIn } from '../../../shared/api-description/events-in.ts';
import type { IncomingDetailType } from '../../../shared/events/incoming.ts';

const store = 'store-1';
const orderId = '30000000-0000-4000-8000-000000000001';

test.each([
  ['stock.changed', { sku: 'A', stock: 5 }, { items: [{ sku: 'A', stock: 5 }] }],
  [
    'stock.changed',
    { sku: 'A', stock: 5, warehouse: 'wh-1' },
    { items: [{ sku: 'A', warehouses: [{ clientId: 'wh-1', stock: 5 }] }] },
  ],
  [
    'price.changed',
    { sku: 'A', price: 100, specialPrice: 90 },
    { items: [{ sku: 'A', price: 100, specialPrice: 90 }] },
  ],
  [
    'order.decision.requested',
    { order: orderId, decision: 'accept' },
    { items: [{ orderId, decision: 'accept' }] },
  ],
  ['order.dropoff.requested', { order: orderId }, { items: [{ orderId }] }],
  ['order.document.requested', { order: orderId, document: 'invoice' }, { orderId, document: 'invoice' }],
  ['product.delete.requested', { id: orderId }, { ids: [orderId] }],
] as const)('options of %s give a detail that its schema takes', (type, options, body) => {
  const detail = detailOf(type as IncomingDetailType, { store, ...options });
  expect(detail).toEqual({ storeClientId: store, ...body });
  expect(schemasOfEventsIn[type].safeParse(detail)).toMatchObject({ success: true });
});

test('an option of another type is refused, with those that the type takes', () => {
  expect(() => detailOf('order.dropoff.requested', { store, specialPrice: 1 })).toThrow(
    'order.dropoff.requested does not take --special-price',
  );
});

test('a type whose detail has no options asks for a file', () => {
  expect(() => detailOf('catalog.sync.requested', { store })).toThrow('needs --detail FILE');
});

test('an event without a store is refused', () => {
  expect(() => detailOf('stock.changed', { sku: 'A', stock: 1 })).toThrow('needs --store');
});

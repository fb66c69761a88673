import { expect, test } from 'vitest';
import { planOrders } from '../../../../shared/orders/rules/plan-orders.ts';
import { faultOf } from '../../../../shared/requests/rules/deferral.ts';
import { rejectionOfCommand } from '../../../../shared/requests/rules/rejection.ts';
import { connectedStore } from '../../stores/store-ports.ts';
import { failure } from '../../support/failure.ts';

const ID = '7f9c24e5-2c3a-4f0e-9d6b-1a2b3c4d5e6f';
const OTHER = '7f9c24e5-2c3a-4f0e-9d6b-1a2b3c4d5e70';
const command = {
  storeClientId: 's-1',
  commandId: 'c-1',
  eventId: 'e-1',
  detailType: 'order.decision.requested',
  time: 0,
};
const fault = { code: 'COMMAND_DISCARDED', message: 'discarded' };

test.each([
  [
    'products',
    { products: [{ sku: 'A', externalId: ID }, 7, { sku: 'B' }] },
    {
      subjects: [
        { rowIndex: 0, sku: 'A', externalId: ID },
        { rowIndex: 2, sku: 'B' },
      ],
    },
  ],
  ['IDs', { ids: [ID] }, { subjects: [{ rowIndex: 0, id: ID }] }],
  [
    'orders',
    { items: [{ orderId: 'o-1' }, { invoiceNumber: 'i-1' }] },
    {
      subjects: [
        { rowIndex: 0, orderId: 'o-1' },
        { rowIndex: 1, invoiceNumber: 'i-1' },
      ],
    },
  ],
  ['one product', { productId: ID }, { id: ID, target: `id:${ID}` }],
  ['the order of a document', { orderId: 'o-1' }, { orderId: 'o-1' }],
])('the rejection of a whole command names its %s', (_, rows, names) => {
  const {
    storeClientId: _store,
    rejectionId: _id,
    rejectedAt: _at,
    ...rejection
  } = rejectionOfCommand({ ...command, ...rows }, fault);
  const { commandId, eventId, detailType } = command;
  expect(rejection).toEqual({ ...fault, commandId, eventId, detailType, ...names });
});

test('the rejection of a whole command names its first 1,000 rows', () => {
  const items = Array.from({ length: 5_000 }, (_, index) => ({ orderId: `o-${index}` }));
  expect(rejectionOfCommand({ ...command, items }, fault).subjects).toHaveLength(1_000);
});

test('the rejection of a row of an order command names its order and its problems', () => {
  const items = [
    { orderId: ID, decision: 'accept', reason: 'r', reasonCode: 'c' },
    { orderId: OTHER, decision: 'maybe', extra: 1 },
  ];
  const { rejections } = planOrders(
    [{ ...command, action: 'decision', items, retry: false }],
    connectedStore(),
    100,
  );
  expect(rejections).toMatchObject([
    {
      orderId: ID,
      field: 'detail.items.0.reasonCode',
      details: { problems: [{ field: 'reasonCode' }, { field: 'reason' }] },
    },
    { orderId: OTHER, details: { problems: [{ field: 'decision' }, { rule: 'UNRECOGNIZED_KEYS' }] } },
  ]);
});

test('the fault of a refused request has the hint of the marketplace with its context', () => {
  const said = { hint: 'use a whole number', context: { reason: 'STOCK' } };
  expect(faultOf(failure('VAL_001', said)).details).toEqual({ hint: 'use a whole number', reason: 'STOCK' });
  expect(faultOf(failure('VAL_001')).details).toBeUndefined();
});

import { expect, test } from 'vitest';
import { DOCUMENT_LOCK_MS } from '../../../shared/documents/document-domain.ts';
import { eraseOrder } from '../../../shared/documents/erase-order.ts';
import type { ActionRecord, OrderRecord, OrderReference } from '../../../shared/orders/model.ts';
import { orderKeyOf } from '../../../shared/orders/model.ts';
import type { Rejection } from '../../../shared/rejections/model.ts';
import { inMemoryDocumentBucket } from '../../doubles/in-memory-document-bucket.ts';
import { inMemoryOrderTable } from '../../doubles/in-memory-order-table.ts';
import { inMemoryRejectionTable } from '../../doubles/in-memory-rejection-table.ts';
import { inMemoryLockTable } from '../../doubles/in-memory-request-table.ts';

const NOW = Date.parse('2026-11-22T08:00:00.000Z');
const store = 's-1';
const orderId = '20000000-0000-4000-8000-00000000000A';
const labelKey = `documents/${store}/${orderId.toLowerCase()}/shipping-label.pdf`;
const invoiceKey = `documents/${store}/${orderId.toLowerCase()}/invoice.pdf`;

const action = { commandId: 'c-1', recordId: 'r-1', startedAt: '2026-11-21T08:00:00.000Z' };
const done: ActionRecord = { state: 'accepted', decision: 'reject', reason: 'moved away', ...action };

function setUp() {
  const orders = inMemoryOrderTable();
  const documents = inMemoryDocumentBucket();
  const locks = inMemoryLockTable();
  const rejections = inMemoryRejectionTable();
  let now = NOW;
  let ids = 0;
  const ports = {
    orders,
    documents,
    locks,
    rejections,
    waitsOf: async () => [],
    clock: { now: () => now },
    newId: () => `id-${++ids}`,
    retentionDays: { records: 90, archive: 60, orders: 400, documents: 180 },
  };
  const putOrder = async (reference: OrderReference, facts: Partial<OrderRecord> = { decision: done }) => {
    const orderKey = orderKeyOf(reference);
    await orders.update(store, orderKey, () => ({ storeClientId: store, orderKey, ...reference, ...facts }));
  };
  const putDocument = async (key: string) => {
    async function* body() {
      yield Buffer.from('%PDF-1.7');
    }
    await documents.put(key, { body: body(), contentType: 'application/pdf', fileName: 'a.pdf' }, 'c-1');
  };
  return {
    ...ports,
    ports,
    putOrder,
    putDocument,
    erase: (reference: OrderReference = { orderId }) => eraseOrder(ports, store, reference),
    pass: (ms: number) => {
      now += ms;
    },
  };
}

test('the documents and the record of an order are erased and named, and those of other orders stay', async () => {
  const { erase, orders, documents, putOrder, putDocument } = setUp();
  const otherKey = `documents/${store}/o-2/invoice.pdf`;
  await putOrder({ orderId });
  await putOrder({ orderId: 'o-2' });
  for (const key of [labelKey, invoiceKey, otherKey]) await putDocument(key);

  expect(await erase()).toMatchObject({
    orderId,
    erased: { documents: [labelKey, invoiceKey], records: [`orderId:${orderId.toLowerCase()}`] },
  });
  expect([...documents.documents.keys()]).toEqual([otherKey]);
  expect((await orders.list(store)).orders.map((order) => order.orderId)).toEqual(['o-2']);
});

test('an erasure that is repeated erases nothing more, and says the same about what is left', async () => {
  const { erase, putOrder, putDocument } = setUp();
  await putOrder({ orderId });
  await putDocument(invoiceKey);
  const { left } = await erase();
  expect(await erase()).toEqual({
    storeClientId: store,
    orderId,
    erased: { documents: [], records: [], rejections: [] },
    left,
  });
});

test('what is left is named with the time by which the last of it is gone', async () => {
  const { left } = await setUp().erase();
  expect(left.map(({ where, goneBy }) => [where, goneBy])).toEqual([
    ['the Orders table and the document bucket', '2027-12-28T00:00:00.000Z'],
    ['the document bucket, as older versions', '2026-11-30T00:00:00.000Z'],
    [expect.stringContaining('backups'), '2026-12-28T00:00:00.000Z'],
    ['the Requests, Batches and Rejections tables', '2027-02-21T00:00:00.000Z'],
    ['the archive bucket', '2027-01-22T00:00:00.000Z'],
  ]);
});

test('the rejections of an order are erased, and those of a command that has other orders too stay', async () => {
  const { erase, rejections } = setUp();
  const rejection = (rejectionId: string, facts: Partial<Rejection>): Rejection => ({
    storeClientId: store,
    rejectionId,
    rejectedAt: '2026-11-21T08:00:00.000Z',
    code: 'ORDER_021',
    message: 'm',
    commandId: 'c-1',
    ...facts,
  });
  await rejections.putAll([
    rejection('1', { orderId }),
    rejection('2', { subjects: [{ orderId, rowIndex: 0 }] }),
    rejection('3', {
      subjects: [
        { orderId, rowIndex: 0 },
        { orderId: 'o-2', rowIndex: 1 },
      ],
    }),
    rejection('4', { orderId: 'o-2' }),
  ]);
  expect((await erase()).erased.rejections).toEqual(['1', '2']);
  expect((await rejections.list(store)).rejections.map(({ rejectionId }) => rejectionId)).toEqual(['3', '4']);
});

test('each command that waits for the order is left, with its document', async () => {
  const { ports } = setUp();
  const detailType = 'order.document.requested';
  const waitsOf = async () => [
    { detailType, document: 'shipping-label' as const },
    { detailType: 'order.decision.requested' as const },
  ];
  const { left } = await eraseOrder({ ...ports, waitsOf }, store, { orderId });
  expect(left.filter(({ where }) => where === 'a queue').map(({ what }) => what)).toEqual([
    expect.stringContaining('(order.document.requested, shipping-label)'),
    expect.stringContaining('(order.decision.requested)'),
  ]);
});

test('an order with two names is erased under both', async () => {
  const { erase, putOrder } = setUp();
  await putOrder({ orderId }, { documents: {} });
  await putOrder({ invoiceNumber: 'i-1' });
  expect((await erase({ orderId, invoiceNumber: 'i-1' })).erased.records).toEqual([
    `orderId:${orderId.toLowerCase()}`,
    'invoiceNumber:i-1',
  ]);
});

test.each<[string, ActionRecord]>([
  ['unknown', { state: 'unknown', ...action }],
  ['sending', { state: 'sending', ...action, lock: { holder: 'h', until: NOW } }],
])('nothing of an order is erased while a dropoff of it is %s', async (_, dropoff) => {
  const { erase, orders, documents, putOrder, putDocument } = setUp();
  await putOrder({ orderId }, { decision: done, dropoff });
  await putDocument(invoiceKey);
  await expect(erase()).rejects.toMatchObject({ code: 'ORDER_OUTCOME_UNKNOWN' });
  expect(documents.documents.size).toBe(1);
  expect(await orders.get(store, orderKeyOf({ orderId }))).toMatchObject({ dropoff });
});

test('a request that begins while an order is being erased keeps its record', async () => {
  const { ports, orders, putOrder } = setUp();
  await putOrder({ orderId });
  const sending: ActionRecord = { state: 'sending', ...action, lock: { holder: 'h', until: NOW } };
  const interrupted = {
    ...ports,
    orders: {
      ...orders,
      remove: async (order: OrderRecord) => {
        await orders.update(store, order.orderKey, (current) => current && { ...current, dropoff: sending });
        return orders.remove(order);
      },
    },
  };
  await expect(eraseOrder(interrupted, store, { orderId })).rejects.toMatchObject({
    code: 'ORDER_OUTCOME_UNKNOWN',
  });
  expect(await orders.get(store, orderKeyOf({ orderId }))).toMatchObject({ dropoff: sending });
});

test('a document that is being fetched is not erased under it, but once it is fetched', async () => {
  const { erase, locks, documents, putDocument, pass } = setUp();
  await putDocument(invoiceKey);
  const lock = { holder: 'fetcher', until: NOW + DOCUMENT_LOCK_MS };
  await locks.update(invoiceKey, () => ({ lock, updatedAt: new Date(NOW).toISOString() }));
  await expect(erase()).rejects.toMatchObject({ code: 'DOCUMENT_BUSY', retryable: true });
  expect(documents.documents.size).toBe(1);
  pass(DOCUMENT_LOCK_MS);
  expect((await erase()).erased.documents).toEqual([invoiceKey]);
});

test('an erasure leaves no lock behind', async () => {
  const { erase, locks } = setUp();
  await erase();
  for (const key of [labelKey, invoiceKey])
    expect((await locks.update(key, () => undefined))?.lock).toBeUndefined();
});

import { describe, expect, test } from 'vitest';
import { readChangeMessage } from '../../../shared/changes/rules/read-changes.ts';
import { jsonBytes } from '../../../shared/collections/packer.ts';
import type { OutgoingEvent } from '../../../shared/events/outgoing.ts';
import { parseIncomingEvent } from '../../../shared/events/parse-incoming-event.ts';
import { planOrders } from '../../../shared/orders/rules/plan-orders.ts';
import { createBulkRequests } from '../../../shared/products/bulk-requests.ts';
import { createDeletionRequests } from '../../../shared/products/deletion-requests.ts';
import { countRows, type Rejection } from '../../../shared/rejections/model.ts';
import { rejectionOfEvent } from '../../../shared/rejections/rules/bounded.ts';
import { reportRejections } from '../../../shared/rejections/use-cases/report-rejections.ts';
import {
  identifiersIn,
  rejectionOfCommand,
  rejectionOfCommandRow,
} from '../../../shared/requests/rules/rejection.ts';

const LONG = 'ü'.repeat(400_000);
const facts = { storeClientId: 's-1', commandId: 'c-1', eventId: 'e-1', time: 0 };
const message = { messageId: 'm-1', sentAt: 0 };

const products = [{ externalId: 'p-1' }];
const bulk = { ...facts, detailType: 'catalog.sync.requested' as const, products };
const orderFacts = { action: 'decision', detailType: 'order.decision.requested', retry: false } as const;
const order = { ...facts, ...orderFacts, items: [] };
const times = { connectedAt: '2026-01-01T00:00:00.000Z', updatedAt: '2026-01-01T00:00:00.000Z' };
const names = { products: 'sku', orders: 'orderId' } as const;
const store = { storeClientId: 's-1', storeToken: 't', state: 'connected', names, ...times } as const;
/** The error of the marketplace in a refusal. */
const fault = {
  code: 'VAL_001',
  message: LONG,
  details: { requestId: 'r-1', validationErrors: { name: LONG } },
};

const rejectionOfChange = (detail: object) => {
  const body = JSON.stringify({
    'detail-type': 'stock.changed',
    detail: { storeClientId: 's-1', version: 1, ...detail },
  });
  const { rejections } = readChangeMessage({ ...message, body });
  return rejections[0];
};

const rejectionOfDetailType = (detailType: string) => {
  const parsed = parseIncomingEvent(
    JSON.stringify({ 'detail-type': detailType, detail: {} }),
    ['stock.changed'],
    message,
  );
  return parsed.ok ? undefined : rejectionOfEvent(parsed.refusal, 0);
};

describe('a rejection', () => {
  test.each<[string, Rejection | undefined]>([
    ['a change with an unknown field', rejectionOfChange({ items: [{ sku: 'A', [LONG]: 1 }] })],
    ['an event with an unknown detail-type', rejectionOfDetailType(LONG)],
    ['a product command', rejectionOfCommand(bulk, fault)],
    ['a product', rejectionOfCommandRow(bulk, { index: 0, ...identifiersIn({ sku: LONG }, ['sku']) }, fault)],
    ['a product with a long path', rejectionOfCommandRow(bulk, { index: 0 }, { ...fault, field: LONG })],
    [
      'a deletion',
      rejectionOfCommandRow(
        { ...facts, detailType: 'product.delete.requested' },
        { index: 0, id: LONG },
        fault,
      ),
    ],
    ['an order command', rejectionOfCommand(order, fault)],
    ['an order', planOrders([{ ...order, items: [{ orderId: LONG }] }], store, 1).rejections[0]],
  ])('is bounded in size for %s', (_, rejection) => {
    expect(rejection).toMatchObject({ storeClientId: expect.any(String), code: expect.any(String) });
    expect(jsonBytes(rejection)).toBeLessThan(5000);
  });

  test('is bounded in size for an order row that quotes its input', () => {
    const { rejections } = planOrders([{ ...order, items: [{ [LONG]: 1 }] }], store, 1);
    expect(rejections).toHaveLength(1);
    expect(jsonBytes(rejections)).toBeLessThan(2000);
  });

  test('marks cut details, and keeps those that fit', () => {
    expect(rejectionOfCommand(bulk, fault).details).toEqual({ requestId: 'r-1', isCut: true });
    const short = { code: 'VAL_001', message: 'no', details: { validationErrors: { name: 'too long' } } };
    expect(rejectionOfCommand(bulk, short).details).toEqual(short.details);
  });

  test('remains well-formed text when it is cut', () => {
    const rejection = rejectionOfCommand(bulk, { code: 'VAL_001', message: `x${'😀'.repeat(300)}` });
    expect(rejection.message.isWellFormed()).toBe(true);
  });
});

test('rows.rejected holds as many rows as fit an event, also large ones, and none is lost', async () => {
  const events: OutgoingEvent[] = [];
  const kept: Rejection[] = [];
  const ports = {
    events: { publish: async (some: readonly OutgoingEvent[]) => void events.push(...some) },
    rejections: { putAll: async (some: readonly Rejection[]) => void kept.push(...some) },
  };
  const problems = Array.from({ length: 10 }, () => ({ field: 'photos', message: 'ü'.repeat(300) }));
  const rejections = Array.from({ length: 100 }, (_, index) =>
    rejectionOfCommandRow(bulk, { index }, { ...fault, details: { problems } }),
  );
  await reportRejections(ports, rejections);
  for (const event of events) expect(jsonBytes(event)).toBeLessThan(256_000);
  const rows = events.flatMap(({ detail }) =>
    'rows' in detail && Array.isArray(detail.rows) ? detail.rows : [],
  );
  expect(rows.map(({ rowIndex }) => rowIndex)).toEqual(rejections.map(({ rowIndex }) => rowIndex));
  expect(kept).toHaveLength(100);
});

describe('the rejections of the rows of a command', () => {
  const { plan: planBulk } = createBulkRequests({ itemsPerRequest: 100 } as never);
  const { plan: planDeletions } = createDeletionRequests({ itemsPerRequest: 100 } as never);
  const deletion = { ...facts, detailType: 'product.delete.requested' as const };

  describe.each<[string, (rows: readonly unknown[]) => { rejections: readonly Rejection[] }]>([
    ['of products', (rows) => planBulk([{ ...bulk, products: rows }], store)],
    ['that deletes products', (ids) => planDeletions([{ ...deletion, ids }], store)],
    ['of orders', (items) => planOrders([{ ...order, items }], store, 100)],
  ])('%s', (_, plan) => {
    test('are one for each row, up to 1,000 rows', () => {
      const { rejections } = plan(Array(1_000).fill(0));
      expect(rejections.map(({ rowIndex }) => rowIndex)).toEqual([...Array(1_000).keys()]);
      expect(rejections.some(({ rowIndexes }) => rowIndexes !== undefined)).toBe(false);
    });

    test('are one for each hundred of 150,000 rows, the same at every delivery', { timeout: 30_000 }, () => {
      const rows = Array(150_000).fill(0);
      const { rejections } = plan(rows);
      expect(rejections).toHaveLength(1_500);
      expect(countRows(rejections)).toBe(150_000);
      expect(new Set(rejections.map(({ rejectionId }) => rejectionId)).size).toBe(1_500);
      expect(rejections[1]).toMatchObject({ rowIndex: 100, rowIndexes: expect.arrayContaining([100, 199]) });
      expect(plan(rows).rejections).toEqual(rejections);
    });
  });

  test('distinguish two commands, and two codes in a hundred rows', () => {
    const orderId = '10000000-0000-4000-8000-000000000001';
    const items = [
      0,
      { orderId, decision: 'accept' },
      { orderId, decision: 'reject' },
      ...Array(1_000).fill(0),
    ];
    const commands = ['c-1', 'c-2'].map((commandId) => ({ ...order, commandId, items }));
    const { rejections } = planOrders(commands, store, 100);
    const first = rejections.filter(({ rowIndex = 0 }) => rowIndex < 100);
    expect(first.map(({ commandId, code, rowIndexes = [] }) => [commandId, code, rowIndexes.length])).toEqual(
      ['c-1', 'c-2'].flatMap((commandId) => [
        [commandId, 'ROW_INVALID', 98],
        [commandId, 'ORDER_DECIDED_OTHERWISE', 0],
      ]),
    );
  });
});

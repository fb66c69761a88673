import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { createDocumentDomain } from '../../../../shared/documents/document-domain.ts';
import type { OutgoingEvent } from '../../../../shared/events/outgoing.ts';
import { createMarketplaceClient } from '../../../../shared/marketplace/client.ts';
import { TransportError } from '../../../../shared/marketplace/errors.ts';
import type { TransportResponse } from '../../../../shared/marketplace/transport.ts';
import type { Rejection } from '../../../../shared/rejections/model.ts';
import { receiveCommands } from '../../../../shared/requests/use-cases/receive-commands.ts';
import type { Store } from '../../../../shared/stores/model.ts';
import { inMemoryDocumentBucket } from '../../../doubles/in-memory-document-bucket.ts';
import { inMemoryEventPublisher } from '../../../doubles/in-memory-event-publisher.ts';
import { inMemoryOrderTable } from '../../../doubles/in-memory-order-table.ts';
import { inMemoryRejectionTable } from '../../../doubles/in-memory-rejection-table.ts';
import { inMemoryRequestArchive } from '../../../doubles/in-memory-request-archive.ts';
import { inMemoryLockTable, inMemoryRequestTable } from '../../../doubles/in-memory-request-table.ts';
import { inMemoryStoreTable } from '../../../doubles/in-memory-store-table.ts';
import { wholeAnswers } from '../../../doubles/whole-answers.ts';
import { refusal } from '../../marketplace/fake-transport.ts';

const ORDERS = 2_000;
const MAX_DELIVERIES = 20_000;
const at = '2026-11-01T00:00:00.000Z';

const pdf = (text: string): TransportResponse => ({
  status: 200,
  headers: { 'content-type': 'application/pdf' },
  body: Buffer.from(`%PDF-1.7 ${text} %%EOF`),
});

/** The outcome of one request for a label, chosen by its number and so equal in each run. */
const faults: readonly ((orderId: string) => TransportResponse)[] = [
  () => refusal(503, 'SYS_DEP_503', { operation: 'awb_generation' }),
  () => {
    throw new TransportError('connectionCut', 'cut', { sent: true });
  },
  () => {
    throw new TransportError('timeout', 'timeout', { sent: true });
  },
  () => {
    throw new TransportError('connectFailed', 'refused', { sent: false });
  },
  () => {
    throw new TransportError('answerTooLarge', 'larger than 10 MiB', { sent: true });
  },
  (orderId) => ({ ...pdf(orderId), headers: { 'content-type': 'text/html' } }),
  () => ({ status: 200, headers: { 'content-type': 'application/pdf' }, body: Buffer.from('<html>') }),
  () => ({ status: 200, headers: { 'content-type': 'application/pdf' }, body: new Uint8Array() }),
  () => ({ status: 200, headers: { 'content-type': 'application/pdf' }, body: Buffer.from('%PDF-1.7 cut') }),
  () => refusal(429, 'RATE_LIMITED', undefined, { 'retry-after': '1' }),
];

/** The document functions in memory, with a marketplace that fails every second request. */
function setUp() {
  const store: Store = {
    storeClientId: 's',
    storeToken: 't',
    state: 'connected',
    names: { products: 'sku', orders: 'orderId' },
    connectedAt: at,
    updatedAt: at,
  };
  const events: OutgoingEvent[] = [];
  const rejections = new Map<string, Rejection>();
  const queue: string[] = [];
  const bucket = inMemoryDocumentBucket();
  let now = Date.parse('2026-11-21T08:00:00.000Z');
  let requests = 0;
  let ids = 0;
  const sleep = async (ms: number) => {
    now += ms;
  };
  const calls = createMarketplaceClient({
    baseUrl: 'https://marketplace.example',
    partnerClientId: 'p',
    secretKey: { read: async () => 'secret' },
    transport: wholeAnswers(async ({ url }) => {
      const orderId = /orders\/([^/]+)\//.exec(url)?.[1] ?? '';
      if (orderId.endsWith('7')) return refusal(409, 'ORDER_021', { orderId });
      requests += 1;
      const fault = requests % 2 === 0 ? faults[(requests / 2) % faults.length] : undefined;
      return fault === undefined ? pdf(orderId) : fault(orderId);
    }),
    clock: { now: () => now },
    sleep,
  });
  const ports = {
    stores: inMemoryStoreTable(undefined, new Map([['s', store]])),
    requests: inMemoryRequestTable(),
    archive: inMemoryRequestArchive(),
    locks: inMemoryLockTable(),
    attemptLifetimeMs: 30_000,
    orders: inMemoryOrderTable(),
    rejections: inMemoryRejectionTable(undefined, rejections),
    events: inMemoryEventPublisher(undefined, events),
    documents: bucket,
    calls,
    secretKey: { read: async () => 'key' },
    limiter: { stop: async () => {} },
    commandQueue: { sendLater: async (body: string) => void queue.push(body) },
    waitForStateMs: 0,
    clock: { now: () => now, sleep },
    newId: () => `id-${++ids}`,
    random: () => 0,
  };
  return { ports, events, rejections, queue, documents: bucket.documents };
}

test('each of 2,000 labels under faults ends as one stored, whole document or one reported failure', async () => {
  const { ports, events, rejections, queue, documents } = setUp();
  for (let order = 0; order < ORDERS; order += 1) {
    const detail = { storeClientId: 's', orderId: `o-${order}`, document: 'shipping-label' };
    queue.push(JSON.stringify({ id: `e-${order}`, 'detail-type': 'order.document.requested', detail }));
  }
  for (let deliveries = 0; queue.length > 0; deliveries += 1) {
    expect(deliveries, 'the queue never drains').toBeLessThan(MAX_DELIVERIES);
    const body = queue.shift() ?? '';
    const message = { messageId: `m-${deliveries}`, sentAt: Date.parse(at), body };
    const { failures } = await receiveCommands(ports, createDocumentDomain(ports), [message]);
    expect(failures).toEqual([]);
  }

  const outcomes = Map.groupBy(events, ({ detail }) => ('orderId' in detail ? detail.orderId : ''));
  expect(outcomes.size).toBe(ORDERS);
  for (const [orderId, [outcome, ...more]] of outcomes) {
    expect(more).toEqual([]);
    const stored = documents.get(`documents/s/${orderId}/shipping-label.pdf`);
    if (outcome?.detailType === 'document.stored') {
      expect(Buffer.from(stored?.bytes ?? []).toString()).toBe(`%PDF-1.7 ${orderId} %%EOF`);
      expect(outcome.detail.sha256).toBe(
        createHash('sha256')
          .update(stored?.bytes ?? '')
          .digest('hex'),
      );
    } else {
      expect(outcome?.detailType).toBe('document.failed');
      expect(stored).toBeUndefined();
    }
  }
  const failed = events.filter(({ detailType }) => detailType === 'document.failed').length;
  expect(failed).toBeGreaterThanOrEqual(ORDERS / 10);
  expect(failed).toBeLessThan(ORDERS / 2);
  expect(rejections.size).toBe(failed);
});

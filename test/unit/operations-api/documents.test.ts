import { expect, test } from 'vitest';
import { documentRoutes } from '../../../functions/operations-api/documents.ts';
import { createDocumentDomain } from '../../../shared/documents/document-domain.ts';
import type { DocumentPorts } from '../../../shared/documents/ports.ts';
import type { OutgoingEvent } from '../../../shared/events/outgoing.ts';
import { MarketplaceError, type MarketplaceErrorOptions } from '../../../shared/marketplace/errors.ts';
import { inMemoryDocumentBucket } from '../../doubles/in-memory-document-bucket.ts';
import { inMemoryOrderTable } from '../../doubles/in-memory-order-table.ts';
import { inMemoryRequestArchive } from '../../doubles/in-memory-request-archive.ts';
import { inMemoryLockTable, inMemoryRequestTable } from '../../doubles/in-memory-request-table.ts';
import { inMemoryStoreTable } from '../../doubles/in-memory-store-table.ts';
import { performedQueue } from './performed-queue.ts';
import { requestTo } from './request.ts';

const NOW = Date.UTC(2026, 10, 22, 8);
const at = new Date(NOW).toISOString();
const storeClientId = 's-1';

/** The routes over a connected store and a marketplace that always fails in this way. */
async function setUp(failure: Partial<MarketplaceErrorOptions> & { code: string } = { code: 'ORDER_021' }) {
  const stores = inMemoryStoreTable();
  const times = { connectedAt: at, updatedAt: at };
  await stores.put({
    storeClientId,
    storeToken: 't',
    state: 'connected',
    names: { products: 'sku', orders: 'orderId' },
    ...times,
  });
  const events: OutgoingEvent[] = [];
  const time = { now: NOW };
  const fail: DocumentPorts['calls']['generateInvoice'] = async (_, __, ___, options) => {
    await options?.onAttempt?.({ number: 1, signedAt: time.now });
    throw new MarketplaceError({ message: 'm', outcome: 'refused', retryable: false, ...failure });
  };
  const documents = inMemoryDocumentBucket();
  const locks = inMemoryLockTable();
  let ids = 0;
  const own = {
    stores,
    requests: inMemoryRequestTable(),
    archive: inMemoryRequestArchive(),
    rejections: { putAll: async () => undefined },
    events: { publish: async (some: readonly OutgoingEvent[]) => void events.push(...some) },
    clock: { now: () => time.now, sleep: async () => {} },
    newId: () => `id-${++ids}`,
    random: () => 0.999,
    attemptLifetimeMs: 30_000,
  };
  const domain = createDocumentDomain({
    ...own,
    orders: inMemoryOrderTable(),
    locks,
    documents,
    calls: { generateInvoice: fail, generateShippingLabel: fail },
    waitForStateMs: 0,
  });
  const { queue, ports } = performedQueue(own, domain, time);
  const routes = documentRoutes({
    ...ports,
    documents,
    downloads: { urlOf: async (key, seconds) => `https://bucket/${key}?seconds=${seconds}` },
    documentCommands: queue,
  });
  const call = (method: string, orderId = 'o-1') => {
    const pathParameters = { storeClientId, orderId, document: 'invoice' };
    const { key, handle } = routes.find((route) => route.key.startsWith(method)) ?? expect.unreachable();
    return handle(requestTo(key, { pathParameters }));
  };
  return { call, documents, locks, events };
}

/** Requests an invoice by its route. */
async function fetchInvoice(failure: Partial<MarketplaceErrorOptions> & { code: string }) {
  const { call, events } = await setUp(failure);
  const answer = await call('POST').catch((error: unknown) => error);
  return { answer, events };
}

test('a document that the state of the order does not allow is refused with the allowed states, whatever the status', async () => {
  const context = { orderId: 'o-1', allowedSubstatuses: ['confirmed'] };
  const { answer, events } = await fetchInvoice({
    code: 'ORDER_021',
    status: 400,
    requestId: 'r-1',
    context,
  });
  expect(answer).toMatchObject({
    status: 409,
    code: 'ORDER_021',
    details: { marketplace: { outcome: 'refused', requestId: 'r-1', context } },
  });
  expect(events).toMatchObject([{ detailType: 'document.failed', detail: { code: 'ORDER_021', context } }]);
});

test('a document whose request has no answer is answered with 202 and its reason: it is fetched later', async () => {
  const { answer, events } = await fetchInvoice({ code: 'TIMEOUT', outcome: 'unknown', retryable: true });
  expect(answer).toMatchObject({ status: 202, body: { state: 'waiting', code: 'TIMEOUT' } });
  expect(events).toEqual([]);
});

test('an answer that is not a PDF becomes 502', async () => {
  const { answer } = await fetchInvoice({ code: 'DOCUMENT_NOT_PDF', status: 200, outcome: 'unknown' });
  expect(answer).toMatchObject({ status: 502, code: 'DOCUMENT_NOT_PDF', details: undefined });
});

test('a stored document is returned as a URL that is valid for 5 minutes, with its end of validity', async () => {
  const { call, documents } = await setUp();
  const key = `documents/${storeClientId}/o-1/invoice.pdf`;
  async function* body() {
    yield Buffer.from('%PDF-1.7');
  }
  await documents.put(key, { body: body(), contentType: 'application/pdf', fileName: 'invoice.pdf' }, 'c-1');
  expect(await call('GET')).toMatchObject({
    status: 200,
    body: { url: `https://bucket/${key}?seconds=300`, expiresAt: new Date(NOW + 300_000).toISOString() },
  });
});

test('a stored document is not fetched again and causes no event', async () => {
  const { call, documents, events } = await setUp();
  const key = `documents/${storeClientId}/o-1/invoice.pdf`;
  async function* body() {
    yield Buffer.from('%PDF-1.7');
  }
  await documents.put(key, { body: body(), contentType: 'application/pdf', fileName: 'invoice.pdf' }, 'c-1');
  expect(await call('POST')).toMatchObject({ status: 200, body: { key, size: 8 } });
  expect(events).toEqual([]);
});

test('a document that another command is fetching is answered with 202: the command waits', async () => {
  const { call, locks, events } = await setUp();
  const lock = { holder: 'another', until: NOW + 60_000 };
  await locks.update(`documents/${storeClientId}/o-1/invoice.pdf`, () => ({ lock, updatedAt: at }));
  expect(await call('POST')).toMatchObject({ status: 202, body: { code: 'DOCUMENT_BUSY' } });
  expect(events).toEqual([]);
});

test('a document that is not stored has no URL', async () => {
  const { call } = await setUp();
  await expect(call('GET')).rejects.toMatchObject({ status: 404, code: 'DOCUMENT_NOT_STORED' });
});

test.each(['POST', 'GET'])('%s refuses an order ID that no document can have', async (method) => {
  const { call } = await setUp();
  await expect(call(method, 'o 1')).rejects.toMatchObject({ status: 400, code: 'ORDER_ID_INVALID' });
});

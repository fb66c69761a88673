import { expect, test } from 'vitest';
import { documentRoutes } from '../../../functions/operations-api/documents.ts';
import type { OutgoingEvent } from '../../../shared/events/outgoing.ts';
import { MarketplaceError, type MarketplaceErrorOptions } from '../../../shared/marketplace/errors.ts';
import { inMemoryDocumentBucket } from '../../doubles/in-memory-document-bucket.ts';
import { inMemoryDocumentClaimTable } from '../../doubles/in-memory-document-claim-table.ts';
import { inMemoryOrderTable } from '../../doubles/in-memory-order-table.ts';
import { inMemoryStoreTable } from '../../doubles/in-memory-store-table.ts';
import { requestTo } from './request.ts';

const NOW = Date.UTC(2026, 10, 22, 8);
const at = new Date(NOW).toISOString();
const storeClientId = 's-1';

/** Asks for an invoice by its route, of a marketplace that always fails so, with the longest pauses in between. */
async function fetchInvoice(failure: Partial<MarketplaceErrorOptions> & { code: string }) {
  const stores = inMemoryStoreTable();
  const times = { connectedAt: at, updatedAt: at };
  await stores.put({ storeClientId, storeToken: 't', state: 'connected', ...times });
  const events: OutgoingEvent[] = [];
  let now = NOW;
  const fail = () =>
    Promise.reject(new MarketplaceError({ message: 'm', outcome: 'refused', retryable: false, ...failure }));
  const [route] = documentRoutes({
    stores,
    rejections: { putAll: async () => undefined },
    events: { publish: async (some) => void events.push(...some) },
    orders: inMemoryOrderTable(),
    documents: inMemoryDocumentBucket(),
    documentClaims: inMemoryDocumentClaimTable(),
    downloads: { urlOf: () => expect.unreachable() },
    marketplace: { generateInvoice: fail, generateShippingLabel: fail },
    clock: {
      now: () => now,
      sleep: async (ms: number) => {
        now += ms;
      },
    },
    newId: () => 'attempt-1',
    random: () => 0.999,
  });
  const pathParameters = { storeClientId, orderId: 'o-1', document: 'invoice' };
  const { key, handle } = route ?? expect.unreachable();
  const refusal = await handle(requestTo(key, { pathParameters })).catch((error: unknown) => error);
  return { refusal, events, takenMs: now - NOW };
}

test('a document that the order’s state does not allow is refused with the states that do, whatever the status', async () => {
  const context = { orderId: 'o-1', allowedSubstatuses: ['confirmed'] };
  const { refusal, events } = await fetchInvoice({
    code: 'ORDER_021',
    status: 400,
    requestId: 'r-1',
    context,
  });
  expect(refusal).toMatchObject({
    status: 409,
    code: 'ORDER_021',
    details: { marketplace: { requestId: 'r-1', context } },
  });
  expect(events).toMatchObject([{ detailType: 'document.failed', detail: { code: 'ORDER_021', context } }]);
});

test('what comes and is no PDF is a bad gateway while the caller still waits', async () => {
  const { refusal, takenMs } = await fetchInvoice({
    code: 'DOCUMENT_NOT_PDF',
    status: 200,
    outcome: 'unknown',
  });
  expect(refusal).toMatchObject({ status: 502, code: 'DOCUMENT_NOT_PDF' });
  expect(takenMs).toBeLessThan(16_000);
});

import type { Attempt } from '../../../shared/attempts/model.ts';
import type { BatchRecord } from '../../../shared/batches/model.ts';
import type { OutgoingEvent } from '../../../shared/events/outgoing.ts';
import { batchAnswer } from '../../../shared/marketplace/batch.ts';
import type { CallOptions } from '../../../shared/marketplace/options.ts';
import type { Product } from '../../../shared/products/model.ts';
import type { CatalogSyncMessage, ListingChanges } from '../../../shared/products/ports.ts';
import type { Rejection } from '../../../shared/rejections/model.ts';
import type { Store } from '../../../shared/stores/model.ts';
import { inMemoryAttemptTable } from '../../doubles/in-memory-attempt-table.ts';
import { inMemoryBatchTable } from '../../doubles/in-memory-batch-table.ts';
import { inMemoryClaimTable } from '../../doubles/in-memory-claim-table.ts';
import { inMemoryCommandTable } from '../../doubles/in-memory-command-table.ts';
import { inMemoryEventPublisher } from '../../doubles/in-memory-event-publisher.ts';
import { inMemoryListingTable } from '../../doubles/in-memory-listing-table.ts';
import { inMemoryProductTurnTable } from '../../doubles/in-memory-product-turn-table.ts';
import { inMemoryRejectionTable } from '../../doubles/in-memory-rejection-table.ts';
import { inMemoryRequestArchive } from '../../doubles/in-memory-request-archive.ts';
import { inMemoryStoreTable } from '../../doubles/in-memory-store-table.ts';
import { inMemoryTicketQueue } from '../../doubles/in-memory-ticket-queue.ts';
import { directly, type Step } from '../../doubles/step.ts';
import { VersionedItems } from '../../doubles/versioned-items.ts';

export const NOW = Date.parse('2026-11-21T08:00:00.000Z');

/** What the marketplace does with one call: answers, or fails. */
export type Reply = (products: readonly Product[]) => unknown;

const readBatch = (body: unknown) => batchAnswer.parse(body);
const readEnvelope = (body: unknown) => body;

interface Sent {
  readonly call: string;
  readonly storeToken: string;
  readonly products: readonly Product[];
}

/** Answers that all products are accepted, in batch `batch-{n}`. */
export const accept = (batchId: string, errors: unknown[] = []): Reply => {
  return (products) => ({
    success: true,
    requestId: `request-of-${batchId}`,
    data: { batchId, summary: { total: products.length, failed: errors.length, pending: 0 }, errors },
  });
};

/**
 * Every port of the product commands, in memory; `replies` are what the marketplace does, call by call; what goes to a
 * service and back takes its way through `step`.
 */
export function productPorts(replies: Reply[] = [], step: Step = directly) {
  const stores = new Map<string, Store>([['s-1', connectedStore('s-1')]]);
  const attempts = new Map<string, Attempt>();
  const batches = new VersionedItems<BatchRecord>();
  const rejections = new Map<string, Rejection>();
  const events: OutgoingEvent[] = [];
  const messages: CatalogSyncMessage[] = [];
  const changes: ListingChanges[] = [];
  const listings = inMemoryListingTable();
  const tickets: object[] = [];
  const later: { body: string; delayMs: number }[] = [];
  const sent: Sent[] = [];
  const pauses: number[] = [];
  const warehouses: string[] = [];
  const commands = inMemoryCommandTable(step);
  const time = { now: NOW };
  let ids = 0;

  const replyTo = <Answer>(call: string, read: (body: unknown) => Answer) => {
    return async (
      { storeToken }: { storeToken: string },
      request: object,
      options: CallOptions = {},
    ): Promise<Answer> => {
      await options.onAttempt?.({ number: 1, signedAt: time.now });
      const products =
        'products' in request ? (request.products as readonly Product[]) : [request as Product];
      sent.push({ call, storeToken, products });
      const reply = replies.shift() ?? accept(`batch-${sent.length}`);
      return read(reply(products));
    };
  };

  return {
    /** Epoch ms: for a test to move on. */
    time,
    seen: {
      attempts,
      get batches() {
        return new Map(batches.entries());
      },
      get rejections() {
        return [...rejections.values()];
      },
      events,
      messages,
      changes,
      listings,
      tickets,
      /** Commands that were put off. */
      later,
      sent,
      pauses,
      /** Those of the store at the marketplace. */
      warehouses,
      stores,
    },
    replies,
    ports: {
      commands,
      claims: inMemoryClaimTable(step),
      stores: inMemoryStoreTable(step, stores),
      attempts: inMemoryAttemptTable(step, attempts),
      batches: inMemoryBatchTable(step, batches),
      turns: inMemoryProductTurnTable(step),
      attemptLifetimeMs: 30_000,
      requests: inMemoryRequestArchive(step),
      rejections: inMemoryRejectionTable(step, rejections),
      events: inMemoryEventPublisher(step, events),
      queue: { sendSync: async (message: CatalogSyncMessage) => void messages.push(message) },
      again: { sendLater: async (body: string, delayMs: number) => void later.push({ body, delayMs }) },
      listings,
      tickets: inMemoryTicketQueue(({ ticket }) => tickets.push(ticket), step),
      changes: { send: async (some: ListingChanges) => void changes.push(some) },
      calls: {
        syncCatalog: replyTo('syncCatalog', readBatch),
        syncVariantCatalog: replyTo('syncVariantCatalog', readBatch),
        createProducts: replyTo('createProducts', readBatch),
        createVariantProducts: replyTo('createVariantProducts', readBatch),
        getProduct: replyTo('getProduct', readEnvelope) as never,
        updateProduct: replyTo('updateProduct', readEnvelope) as never,
        listWarehouses: async () => {
          sent.push({ call: 'listWarehouses', storeToken: '', products: [] });
          return { data: warehouses.map((clientId) => ({ clientId })) };
        },
        deleteProducts: replyTo('deleteProducts', readEnvelope) as never,
      },
      clock: { now: () => time.now, sleep: async (ms: number) => void pauses.push(ms) },
      random: () => 0,
      newId: () => `attempt-${++ids}`,
      itemsPerRequest: 100,
      batchDeadlineMs: 900_000,
    },
  };
}

export function connectedStore(storeClientId: string, products: Store['names']['products'] = 'id'): Store {
  const at = '2026-11-01T00:00:00.000Z';
  return {
    storeClientId,
    storeToken: `token-${storeClientId}`,
    state: 'connected',
    names: { products, orders: 'orderId' },
    connectedAt: at,
    updatedAt: at,
  };
}

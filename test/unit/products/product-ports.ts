import type { Attempt } from '../../../shared/attempts/model.ts';
import type { BatchRecord } from '../../../shared/batches/model.ts';
import type { OutgoingEvent } from '../../../shared/events/outgoing.ts';
import { batchAnswer } from '../../../shared/marketplace/batch.ts';
import { MarketplaceError, type MarketplaceErrorOptions } from '../../../shared/marketplace/errors.ts';
import type { CallOptions } from '../../../shared/marketplace/options.ts';
import type { Product } from '../../../shared/products/model.ts';
import type { CatalogSyncMessage, ListingChanges } from '../../../shared/products/ports.ts';
import type { ProductTurn } from '../../../shared/products/turn.ts';
import type { Rejection } from '../../../shared/rejections/model.ts';
import type { Store, StoreWarehouses } from '../../../shared/stores/model.ts';
import { inMemoryClaimTable } from '../../doubles/in-memory-claim-table.ts';
import { inMemoryCommandTable } from '../../doubles/in-memory-command-table.ts';
import { inMemoryListingTable } from '../../doubles/in-memory-listing-table.ts';
import { inMemoryRequestArchive } from '../../doubles/in-memory-request-archive.ts';
import { directly, type Step } from '../../doubles/step.ts';

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

/** Fails the call; by default the marketplace refuses it for good. */
export const fail = (options: Partial<MarketplaceErrorOptions> & { code: string }): Reply => {
  return () => {
    throw new MarketplaceError({ message: options.code, outcome: 'refused', retryable: false, ...options });
  };
};

/**
 * Every port of the product commands, in memory; `replies` are what the marketplace does, call by call, and writes take
 * their way through `step`.
 */
export function productPorts(replies: Reply[] = [], step: Step = directly) {
  const stores = new Map<string, Store>([['s-1', connectedStore('s-1')]]);
  const attempts = new Map<string, Attempt>();
  const batches = new Map<string, BatchRecord>();
  const links = new Map<string, string>();
  const rejections: Rejection[] = [];
  const events: OutgoingEvent[] = [];
  const messages: CatalogSyncMessage[] = [];
  const changes: ListingChanges[] = [];
  const listings = inMemoryListingTable();
  const tickets: object[] = [];
  const turns = new Map<string, ProductTurn>();
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
      batches,
      rejections,
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
      stores: {
        get: async (id: string) => stores.get(id),
        putWarehouses: async (id: string, warehouses: StoreWarehouses) => {
          const store = stores.get(id);
          if (store) stores.set(id, { ...store, warehouses });
        },
        suspend: async ({
          storeClientId,
          storeToken,
        }: Store | Pick<Store, 'storeClientId' | 'storeToken'>) => {
          const store = stores.get(storeClientId);
          if (store?.storeToken !== storeToken) return false;
          stores.set(storeClientId, { ...store, state: 'suspended' });
          return true;
        },
        forgetEvent: async () => {},
      },
      attempts: {
        put: (attempt: Attempt) => step('attempts.put', () => void attempts.set(attempt.attemptId, attempt)),
        close: (attemptId: string, state: Attempt['state'], batchId?: string) =>
          step('attempts.close', () => {
            const attempt = attempts.get(attemptId);
            if (attempt)
              attempts.set(attemptId, { ...attempt, state, ...(batchId !== undefined && { batchId }) });
          }),
        get: async (attemptId: string) => attempts.get(attemptId),
      },
      batches: {
        get: async (id: string) => batches.get(id),
        link: async (requestId: string, batchId: string) => void links.set(requestId, batchId),
        linkedTo: async (requestId: string) => links.get(requestId),
        update: (id: string, change: (current?: BatchRecord) => BatchRecord | undefined) =>
          step('batches.update', () => {
            const next = change(batches.get(id));
            if (next) batches.set(id, next);
            return batches.get(id);
          }),
      },
      turns: {
        update: async (key: string, change: (current?: ProductTurn) => ProductTurn | undefined) => {
          const next = change(turns.get(key));
          if (next) turns.set(key, next);
          return turns.get(key);
        },
      },
      attemptLifetimeMs: 30_000,
      requests: inMemoryRequestArchive(step),
      rejections: { putAll: async (some: readonly Rejection[]) => void rejections.push(...some) },
      events: {
        publish: (some: readonly OutgoingEvent[]) => step('events.publish', () => void events.push(...some)),
      },
      queue: { sendSync: async (message: CatalogSyncMessage) => void messages.push(message) },
      again: { sendLater: async (body: string, delayMs: number) => void later.push({ body, delayMs }) },
      listings: { update: listings.update },
      tickets: { send: async (some: readonly object[]) => void tickets.push(...some) },
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

export function connectedStore(storeClientId: string): Store {
  const at = '2026-11-01T00:00:00.000Z';
  return {
    storeClientId,
    storeToken: `token-${storeClientId}`,
    state: 'connected',
    connectedAt: at,
    updatedAt: at,
  };
}

import type { BatchRecord } from '../../../shared/batches/model.ts';
import type { OutgoingEvent } from '../../../shared/events/outgoing.ts';
import { batchAnswer } from '../../../shared/marketplace/batch.ts';
import type { CallOptions } from '../../../shared/marketplace/options.ts';
import { decisionAnswer } from '../../../shared/marketplace/orders.ts';
import type { OrderReference } from '../../../shared/orders/model.ts';
import { countOrders, createOrderDomain } from '../../../shared/orders/order-domain.ts';
import type { Rejection } from '../../../shared/rejections/model.ts';
import type { RequestRecord } from '../../../shared/requests/model.ts';
import { receiveCommands } from '../../../shared/requests/use-cases/receive-commands.ts';
import { RequestTime } from '../../../shared/requests/use-cases/run-request.ts';
import type { Store } from '../../../shared/stores/model.ts';
import { inMemoryBatchTable } from '../../doubles/in-memory-batch-table.ts';
import { inMemoryEventPublisher } from '../../doubles/in-memory-event-publisher.ts';
import { inMemoryOrderTable } from '../../doubles/in-memory-order-table.ts';
import { inMemoryRejectionTable } from '../../doubles/in-memory-rejection-table.ts';
import { inMemoryRequestArchive } from '../../doubles/in-memory-request-archive.ts';
import { inMemoryRequestTable } from '../../doubles/in-memory-request-table.ts';
import { inMemoryStoreTable } from '../../doubles/in-memory-store-table.ts';
import { VersionedItems } from '../../doubles/versioned-items.ts';

export const NOW = Date.parse('2026-11-21T08:00:00.000Z');
export const STORE = 's-1';
export const ATTEMPT_LIFETIME_MS = 31_000;
/** Longer than any lock. */
export const LOCK_MS = 100_000;

/** A UUID that contains the number. */
export const orderIdOf = (number: number) => `20000000-0000-4000-8000-${String(number).padStart(12, '0')}`;

type Items = readonly (OrderReference & { decision?: string })[];

/** How the marketplace handles one call: it answers or fails. */
export type Reply = (items: Items) => unknown;

/** Accepts all rows of a dropoff request except those named by `errors`. */
export const takeDropoffs = (errors: object[] = []): Reply => {
  return (items) => ({
    success: true,
    requestId: 'request-1',
    data: {
      batchId: 'batch-1',
      requestId: 'request-1',
      summary: { total: items.length, accepted: items.length - errors.length, skipped: errors.length },
      errors,
    },
  });
};

/** An order command as a message of its queue. */
export function messageOf(
  detailType: string,
  commandId: string,
  items: readonly unknown[],
  detail: object = {},
): string {
  return JSON.stringify({
    id: `event-of-${commandId}`,
    time: new Date(NOW).toISOString(),
    'detail-type': detailType,
    detail: { storeClientId: STORE, commandId, items, ...detail },
  });
}

/**
 * Every port of the order commands in memory.
 *
 * @param replies how the marketplace handles each call; it accepts all later ones.
 * @param orderNames how the store names its orders.
 */
export function orderDesk(replies: Reply[] = [], orderNames: 'orderId' | 'invoiceNumber' = 'orderId') {
  const at = '2026-11-01T00:00:00.000Z';
  const store: Store = {
    storeClientId: STORE,
    storeToken: 't',
    state: 'connected',
    names: { products: 'sku', orders: orderNames },
    connectedAt: at,
    updatedAt: at,
  };
  const stores = new Map([[STORE, store]]);
  const requests = new VersionedItems<RequestRecord>();
  const batches = new VersionedItems<BatchRecord>();
  const rejections = new Map<string, Rejection>();
  const archive = new Map<string, readonly unknown[]>();
  const events: OutgoingEvent[] = [];
  const sent: { call: string; items: Items }[] = [];
  const queued: string[] = [];
  const later: { body: string; delayMs: number }[] = [];
  const orders = inMemoryOrderTable();
  let now = NOW;
  let ids = 0;

  const replyTo =
    <Answer>(call: string, otherwise: Reply, read: (body: unknown) => Answer) =>
    async (_: unknown, { items }: { items: Items }, options: CallOptions = {}): Promise<Answer> => {
      await options.onAttempt?.({ number: 1, signedAt: now });
      sent.push({ call, items });
      return read((replies.shift() ?? otherwise)(items));
    };

  const ports = {
    orders,
    stores: inMemoryStoreTable(undefined, stores),
    requests: inMemoryRequestTable(undefined, requests),
    archive: inMemoryRequestArchive(undefined, archive),
    batches: inMemoryBatchTable(undefined, batches),
    rejections: inMemoryRejectionTable(undefined, rejections),
    events: inMemoryEventPublisher(undefined, events),
    calls: {
      decideOrders: replyTo(
        'decideOrders',
        () => ({ success: true, message: 'ok' }),
        (body) => decisionAnswer.parse(body),
      ),
      requestDropoffs: replyTo('requestDropoffs', takeDropoffs(), (body) => batchAnswer.parse(body)),
    },
    clock: {
      now: () => now,
      sleep: async (ms: number) => {
        now += ms;
        // A caller that waits for its command: the order-producer performs it meanwhile.
        if (queued.length > 0) await deliverAll(queued.splice(0));
      },
    },
    orderCommands: { send: async (bodies: readonly string[]) => void queued.push(...bodies) },
    secretKey: { read: async () => 'key' },
    limiter: { stop: async () => {} },
    commandQueue: { sendLater: async (body: string, delayMs: number) => void later.push({ body, delayMs }) },
    newId: () => `id-${++ids}`,
    random: () => 0,
    itemsPerRequest: 100,
    attemptLifetimeMs: ATTEMPT_LIFETIME_MS,
    batchDeadlineMs: 900_000,
  };

  /** Delivers messages together, as one receive. */
  const deliverAll = async (bodies: readonly string[], stopAt?: number) => {
    const messages = bodies.map((body, index) => ({ messageId: `m-${index}`, sentAt: NOW, body }));
    const time = stopAt === undefined ? undefined : new RequestTime(ports.clock, stopAt);
    const received = await receiveCommands(ports, createOrderDomain(ports), messages, time);
    if (received.failures[0]) throw received.failures[0].error;
    const { accepted, unknown, rejected } = countOrders(received.requests);
    const deferred = received.deferred.map(({ code }) => code);
    return { accepted, unknown, rejected: rejected + received.rejected, deferred };
  };
  const deliver = (body: string, stopAt?: number) => deliverAll([body], stopAt);
  const command =
    (detailType: string) =>
    (commandId: string, items: readonly unknown[], detail: object = {}) =>
      deliver(messageOf(detailType, commandId, items, detail));
  return {
    ports,
    deliver,
    deliverAll,
    decide: command('order.decision.requested'),
    dropOff: command('order.dropoff.requested'),
    order: (key: string) => orders.get(STORE, key),
    batch: (batchId: string) => batches.read(batchId)?.value,
    rejected: () => [...rejections.values()],
    eventsOf: (detailType: string) => events.filter((event) => event.detailType === detailType),
    pass: (ms: number) => {
      now += ms;
    },
    replies,
    later,
    sent,
    stores,
    archive,
    requests: () => requests.all(),
  };
}

import { takeChanges } from '../../../shared/changes/use-cases/take-changes.ts';
import type { PushLanePorts } from '../../../shared/lanes/use-cases/lane-context.ts';
import { pushLane } from '../../../shared/lanes/use-cases/push-lane.ts';
import { createLimiter, type Limiter } from '../../../shared/limits/limiter.ts';
import { limitIdsOf } from '../../../shared/limits/model.ts';
import type { Place } from '../../../shared/limits/ports.ts';
import { createMarketplaceClient } from '../../../shared/marketplace/client.ts';
import type { Transport } from '../../../shared/marketplace/transport.ts';
import type { Clock } from '../../../shared/time/clock.ts';
import { inMemoryBatchTable } from '../../../test/doubles/in-memory-batch-table.ts';
import { inMemoryEventPublisher } from '../../../test/doubles/in-memory-event-publisher.ts';
import { inMemoryGuardTable } from '../../../test/doubles/in-memory-guard-table.ts';
import { inMemoryLaneTable } from '../../../test/doubles/in-memory-lane-table.ts';
import { inMemoryLimitTable } from '../../../test/doubles/in-memory-limit-table.ts';
import { inMemoryListingTable } from '../../../test/doubles/in-memory-listing-table.ts';
import { inMemoryStoreTable } from '../../../test/doubles/in-memory-store-table.ts';
import type { Step } from '../../../test/doubles/step.ts';
import { wholeAnswers } from '../../../test/doubles/whole-answers.ts';
import { answer } from '../../../test/unit/marketplace/fake-transport.ts';
import { virtualClock } from '../../../test/unit/support/virtual-clock.ts';

/** The marketplace and its clock. */
export interface Marketplace {
  readonly clock: Clock;
  /** Runs the work to its end. */
  readonly run: <Result>(work: Promise<Result>) => Promise<Result>;
  readonly transport: Transport;
  readonly baseUrl: string;
  readonly partnerClientId: string;
  readonly secret: string;
  readonly stores: readonly { readonly storeClientId: string; readonly storeToken: string }[];
}

/** A marketplace that accepts every request after `latencyMs`, in virtual time. */
export function virtualMarketplace(stores: number, latencyMs: number): Marketplace {
  const clock = virtualClock();
  let ids = 0;
  return {
    clock,
    run: clock.run,
    transport: wholeAnswers(async () => {
      await clock.sleep(latencyMs);
      const id = `batch-${ids++}`;
      return answer(202, { success: true, requestId: id, batchId: id, acceptedRows: [], errors: [] });
    }),
    baseUrl: 'https://marketplace.example',
    partnerClientId: 'partner',
    secret: 'secret',
    stores: Array.from({ length: stores }, (_, index) => ({
      storeClientId: `store-${index}`,
      storeToken: `token-${index}`,
    })),
  };
}

export interface Fleet {
  readonly requestsPerSecond: number;
  readonly requestsInFlight: number;
  /** Milliseconds that each operation of a table takes. */
  readonly ioMs: number;
  /** Length of the measurement in seconds. */
  readonly seconds: number;
  /** Lanes that are worked on at a time: the wake queue's concurrency. */
  readonly lanesAtATime: number;
}

export interface FleetFigures {
  /** Share of the allowed requests that arrived. */
  readonly utilization: number;
  /** Most requests that arrived in any second. */
  readonly mostInASecond: number;
  /** Operations on the limiter's item, per second; failed conditional writes are writes. */
  readonly readsPerSecond: number;
  readonly writesPerSecond: number;
  /** The longest wait for a permit in milliseconds. */
  readonly longestWaitMs: number;
  readonly failedTickets: number;
  /** Fewest and most requests of a store. */
  readonly fewest: number;
  readonly most: number;
}

const ROWS_PER_REQUEST = 1;
/** Seconds before the measurement begins. */
const WARM_UP_S = 3;
/** Milliseconds from a ticket in the queue to its function. */
const INVOCATION_MS = 30;

/** The lanes of several stores, all with more work than they can send, over one rate limiter. */
export async function measureFleet(marketplace: Marketplace, fleet: Fleet): Promise<FleetFigures> {
  const { clock, baseUrl, partnerClientId, secret, stores } = marketplace;
  const operations = { reads: 0, writes: 0 };
  let isSeeding = true;
  const step: Step = async (operation, effect) => {
    if (isSeeding) return effect();
    if (operation.startsWith('limits.get')) operations.reads += 1;
    else if (operation.startsWith('limits.')) operations.writes += 1;
    await clock.sleep(fleet.ioMs / 2);
    const result = effect();
    await clock.sleep(fleet.ioMs / 2);
    return result;
  };
  let ids = 0;
  let jitter = 0;
  const newId = () => `id-${ids++}`;
  const random = () => (jitter = (jitter + 0.37) % 1);
  const limits = inMemoryLimitTable(step);
  const arrivals: { at: number; storeClientId: string }[] = [];
  const transport: Transport = {
    receive: (request, read) => {
      arrivals.push({ at: clock.now(), storeClientId: request.headers['x-store-client-id'] ?? '' });
      return marketplace.transport.receive(request, read);
    },
  };
  let longestWaitMs = 0;
  const watched = (limiter: Limiter): Limiter => ({
    ...limiter,
    reserve: async (request) => {
      const askedAt = clock.now();
      const place = await limiter.reserve(request);
      if ('reason' in place) return place;
      const begin: Place['begin'] = async (signal) => {
        const permit = await place.begin(signal);
        longestWaitMs = Math.max(longestWaitMs, clock.now() - askedAt);
        return permit;
      };
      return { ...place, begin };
    },
  });
  const queue: { storeClientId: string; from: number }[] = [];
  const shared = {
    listings: inMemoryListingTable(step),
    guards: inMemoryGuardTable(step),
    lanes: inMemoryLaneTable(step),
    stores: inMemoryStoreTable(step),
    batches: inMemoryBatchTable(step),
    rejections: { putAll: async () => {} },
    requests: { putAliases: async () => {} },
    events: inMemoryEventPublisher(step),
    tickets: {
      send: async (tickets: readonly { storeClientId: string }[], { delayMs = 0 } = {}) => {
        const from = clock.now() + Math.ceil(delayMs / 1000) * 1000;
        queue.push(...tickets.map(({ storeClientId }) => ({ storeClientId, from })));
      },
    },
    clock,
    newId,
    random,
  };
  const requests = fleet.requestsPerSecond * (fleet.seconds + 30);
  const rows = Math.ceil((requests / stores.length) * ROWS_PER_REQUEST);
  for (const { storeClientId, storeToken } of stores) {
    const at = '2026-01-01T00:00:00.000Z';
    const products = { products: 'sku', orders: 'orderId' } as const;
    await shared.stores.put({
      storeClientId,
      storeToken,
      state: 'connected',
      names: products,
      connectedAt: at,
      updatedAt: at,
    });
    const items = Array.from({ length: rows }, (_, index) => ({ sku: `SKU-${index}`, stock: 5 }));
    const detail = { storeClientId, version: 1, items };
    const body = JSON.stringify({ 'detail-type': 'stock.changed', detail });
    await takeChanges(shared as unknown as Parameters<typeof takeChanges>[0], [
      { messageId: newId(), sentAt: clock.now(), body },
    ]);
  }
  isSeeding = false;

  const settings = { ...fleet, itemsPerRequest: ROWS_PER_REQUEST, attemptLifetimeMs: 31_000 };
  const start = clock.now();
  const measuredFrom = start + WARM_UP_S * 1000;
  const end = measuredFrom + fleet.seconds * 1000;
  let failedTickets = 0;
  const limitIds = limitIdsOf('partner', fleet);
  const newProcess = (): PushLanePorts => {
    const limitSettings = { ...fleet, permitLifetimeMs: 31_000, stopMs: 60_000 };
    const limiter = watched(createLimiter({ limits, clock, newId, random }, limitSettings, limitIds));
    const client = createMarketplaceClient({
      baseUrl,
      partnerClientId,
      secretKey: { read: async () => secret },
      transport,
      clock,
      random,
      sleep: clock.sleep,
      permits: limiter,
    });
    return { ...shared, limiter, marketplace: client } as unknown as PushLanePorts;
  };
  /** Processes that wait for a ticket; the one used last is used next, as with Lambda. */
  const idle: PushLanePorts[] = [];
  const work = async () => {
    while (clock.now() < end) {
      const next = queue.findIndex(({ from }) => from <= clock.now());
      const [ticket] = next < 0 ? [] : queue.splice(next, 1);
      await clock.sleep(INVOCATION_MS);
      if (ticket === undefined) continue;
      const { storeClientId } = ticket;
      const signal = new AbortController().signal;
      const stopAt = Math.min(end, clock.now() + 90_000);
      const ports = idle.pop() ?? newProcess();
      await pushLane(
        ports,
        { ...settings, batchDeadlineMs: 900_000 },
        { storeClientId, stopAt, signal },
      ).catch(() => {
        failedTickets += 1;
      });
      idle.push(ports);
    }
  };
  let before = { ...operations };
  let after = { ...operations };
  const counting = async () => {
    await clock.sleep(measuredFrom - start);
    before = { ...operations };
    await clock.sleep(end - measuredFrom);
    after = { ...operations };
  };
  await marketplace.run(Promise.all([counting(), ...Array.from({ length: fleet.lanesAtATime }, work)]));

  const times = arrivals.map(({ at }) => at);
  const inTime = arrivals.filter(({ at }) => at >= measuredFrom && at < end);
  const perStore = stores.map(
    (store) => inTime.filter((one) => one.storeClientId === store.storeClientId).length,
  );
  return {
    utilization: inTime.length / (fleet.requestsPerSecond * fleet.seconds),
    mostInASecond: mostWithin(times, 1000),
    readsPerSecond: (after.reads - before.reads) / fleet.seconds,
    writesPerSecond: (after.writes - before.writes) / fleet.seconds,
    longestWaitMs,
    failedTickets,
    fewest: Math.min(...perStore),
    most: Math.max(...perStore),
  };
}

/** The greatest number of times in any window of `windowMs`. */
function mostWithin(times: readonly number[], windowMs: number): number {
  const sorted = times.toSorted((a, b) => a - b);
  let most = 0;
  for (let from = 0, to = 0; to < sorted.length; to += 1) {
    while ((sorted[to] ?? 0) - (sorted[from] ?? 0) >= windowMs) from += 1;
    most = Math.max(most, to - from + 1);
  }
  return most;
}

import type { ChangeEventTable } from '../../../shared/changes/change-events.ts';
import type { FileReceiptTable } from '../../../shared/changes/file-receipts.ts';
import { takeChanges } from '../../../shared/changes/use-cases/take-changes.ts';
import type { PushLanePorts } from '../../../shared/lanes/use-cases/lane-context.ts';
import { type LanePush, pushLane } from '../../../shared/lanes/use-cases/push-lane.ts';
import type { WakeLanesPorts } from '../../../shared/lanes/use-cases/wake-lanes.ts';
import { createLimiter, type Limiter } from '../../../shared/limits/limiter.ts';
import type { PermitOutcome } from '../../../shared/limits/ports.ts';
import type { WaitingPage, WaitingPageTable } from '../../../shared/listings/waiting-pages.ts';
import type { BatchAnswer } from '../../../shared/marketplace/batch.ts';
import { MarketplaceError } from '../../../shared/marketplace/errors.ts';
import type { CallOptions } from '../../../shared/marketplace/options.ts';
import type { Rejection } from '../../../shared/rejections/model.ts';
import { inMemoryBatchTable } from '../../doubles/in-memory-batch-table.ts';
import { inMemoryChangeEventTable } from '../../doubles/in-memory-change-event-table.ts';
import { inMemoryEventPublisher } from '../../doubles/in-memory-event-publisher.ts';
import { inMemoryFileReceiptTable } from '../../doubles/in-memory-file-receipt-table.ts';
import { inMemoryGuardTable } from '../../doubles/in-memory-guard-table.ts';
import { inMemoryLaneTable } from '../../doubles/in-memory-lane-table.ts';
import { inMemoryLimitTable } from '../../doubles/in-memory-limit-table.ts';
import { inMemoryListingTable } from '../../doubles/in-memory-listing-table.ts';
import { inMemoryRequestTable } from '../../doubles/in-memory-request-table.ts';
import { inMemoryStoreTable } from '../../doubles/in-memory-store-table.ts';
import { inMemoryWaitingPages } from '../../doubles/in-memory-waiting-pages.ts';
import { VersionedItems } from '../../doubles/versioned-items.ts';
import { failure } from '../support/failure.ts';
import { virtualClock } from '../support/virtual-clock.ts';

/** A bulk request as the marketplace received it. */
export interface SentRequest {
  readonly kind: 'stock' | 'price';
  readonly at: number;
  readonly items: readonly object[];
}

/** How the marketplace handles a request; by default it accepts every row. */
export type Reply = (request: SentRequest) => Promise<Partial<BatchAnswer>> | Partial<BatchAnswer>;

export const STORE = 'store-1';

/** As the client: how long before its place a request looks once more. */
const LOOK_MS = 120;

/** As the client's: a request that could leave only later is not sent. */
const REQUEST_TIMEOUT_MS = 10_000;

/** Intake and the lane of one store over tables in memory, with a virtual clock. */
export function laneWorld({ reply, latencyMs = 100 }: { reply?: Reply; latencyMs?: number } = {}) {
  const clock = virtualClock();
  const sent: SentRequest[] = [];
  const rejections: Rejection[] = [];
  const tickets: { storeClientId: string; delayMs: number }[] = [];
  let ids = 0;
  let onceChosen: (() => Promise<unknown>) | undefined;
  const newId = () => `id-${ids++}`;
  const random = () => 0.5;
  const limits = inMemoryLimitTable();
  const limiter = createLimiter(
    { limits, clock, newId, random },
    { requestsPerSecond: 5, requestsInFlight: 5, permitLifetimeMs: 30_000, stopMs: 60_000 },
    ['partner'],
  );

  const exchange = async (request: SentRequest): Promise<BatchAnswer> => {
    sent.push(request);
    await clock.sleep(latencyMs);
    const answer = (await reply?.(request)) ?? {};
    const requestId = newId();
    return {
      batchId: requestId,
      requestId,
      summary: {},
      acceptedRows: [],
      errors: [],
      ...answer,
    } as BatchAnswer;
  };
  /** Sends at the lane's place, as the client does. */
  const send = async (kind: SentRequest['kind'], items: readonly object[], options: CallOptions = {}) => {
    const { place } = options;
    if (place === undefined) throw new Error('a lane brings its place');
    await clock.sleep(Math.max(0, place.at - LOOK_MS - clock.now()));
    await options.onAttempt?.({ number: 1, signedAt: place.at });
    const permit = await place.begin(options.signal);
    if (permit === undefined) throw failure('LIMIT_REACHED', { outcome: 'not-sent', retryable: true });
    if (clock.now() - place.at >= REQUEST_TIMEOUT_MS) {
      await permit.release({ unused: true });
      throw failure('TIMEOUT', { outcome: 'not-sent', retryable: true });
    }
    let outcome: PermitOutcome = {};
    try {
      const answer = await exchange({ kind, at: clock.now(), items });
      outcome = { status: 200 };
      return answer;
    } catch (error) {
      if (error instanceof MarketplaceError) {
        const { code, status, retryAfterMs } = error;
        outcome = { code, ...(status && { status }), ...(retryAfterMs && { retryAfterMs }) };
      }
      throw error;
    } finally {
      await permit.release(outcome);
    }
  };

  const stores = inMemoryStoreTable();
  let isReserved = false;
  const watched: Limiter = {
    ...limiter,
    reserve: (request) => {
      isReserved = true;
      return limiter.reserve(request);
    },
  };
  const pages = new Map<string, WaitingPage>();
  const listings = inMemoryListingTable(undefined, { items: new VersionedItems(), pages }, clock);
  const ports = {
    listings: {
      ...listings,
      waiting: async function* (...query: Parameters<typeof listings.waiting>) {
        let hasFound = false;
        for await (const found of listings.waiting(...query)) {
          hasFound ||= found.listings.length > 0;
          yield found;
        }
        if (!isReserved || !hasFound) return;
        const act = onceChosen;
        onceChosen = undefined;
        await act?.();
      },
    },
    pages: inMemoryWaitingPages(undefined, pages),
    guards: inMemoryGuardTable(),
    lanes: inMemoryLaneTable(),
    stores,
    batches: inMemoryBatchTable(),
    rejections: {
      putAll: async (rows: readonly Rejection[]) => {
        rejections.push(...rows);
      },
    },
    requests: inMemoryRequestTable(),
    changeEvents: inMemoryChangeEventTable(),
    receipts: inMemoryFileReceiptTable(),
    events: inMemoryEventPublisher(),
    tickets: {
      send: async (batch: readonly { storeClientId: string }[], { delayMs = 0 } = {}) => {
        tickets.push(...batch.map((ticket) => ({ ...ticket, delayMs })));
      },
    },
    limiter: watched,
    marketplace: {
      updateStocks: (_: unknown, { items }: { items: object[] }, options?: CallOptions) =>
        send('stock', items, options),
      updatePrices: (_: unknown, { items }: { items: object[] }, options?: CallOptions) =>
        send('price', items, options),
      listWarehouses: async () => ({ data: [{ clientId: 'wh-1' }, { clientId: 'wh-2' }] }),
    },
    clock,
    newId,
    random,
  } as unknown as PushLanePorts &
    Parameters<typeof takeChanges>[0] &
    WakeLanesPorts & { readonly pages: WaitingPageTable } & {
      readonly stores: typeof stores;
      readonly changeEvents: ChangeEventTable;
      readonly receipts: FileReceiptTable;
    };

  return {
    ports,
    clock,
    sent,
    rejections,
    tickets,
    limiter,
    limitNow: () => limits.get('partner'),

    /** Items of one event with an integer version. */
    change: (
      detailType: 'stock.changed' | 'price.changed',
      version: number,
      items: readonly object[],
      further: object = {},
    ) =>
      takeChanges(ports, [
        {
          messageId: newId(),
          sentAt: clock.now(),
          body: JSON.stringify({
            'detail-type': detailType,
            detail: { storeClientId: STORE, version, items, ...further },
          }),
        },
      ]),

    /** Runs `act` once, after the rows of the next request are chosen and before it leaves. */
    onceChosen: (act: () => Promise<unknown>) => {
      onceChosen = act;
    },

    connect: (storeToken = 'token', products: 'sku' | 'externalId' = 'sku') =>
      stores.put({
        storeClientId: STORE,
        storeToken,
        state: 'connected',
        names: { products, orders: 'orderId' },
        connectedAt: '2026-01-01T00:00:00.000Z',
        updatedAt: '2026-01-01T00:00:00.000Z',
      }),

    /** One invocation with `forMs` left (default: a minute). */
    push: (forMs = 60_000, itemsPerRequest = 100, rest: Partial<LanePush> = {}) =>
      clock.run(
        pushLane(
          ports,
          {
            itemsPerRequest,
            requestsPerSecond: 5,
            requestsInFlight: 5,
            attemptLifetimeMs: 30_000,
            batchDeadlineMs: 900_000,
          },
          {
            storeClientId: STORE,
            stopAt: clock.now() + forMs,
            signal: new AbortController().signal,
            ...rest,
          },
        ),
      ),
  };
}

import { mapConcurrently, READS_AT_A_TIME } from '../../collections/for-each-concurrently.ts';
import type { PageRequest } from '../../collections/page-request.ts';
import { readLimits } from '../../health/use-cases/report-health.ts';
import type { Lane } from '../../lanes/model.ts';
import type { LaneTable } from '../../lanes/ports.ts';
import { type Limit, paceAt } from '../../limits/model.ts';
import type { LimitTable } from '../../limits/ports.ts';
import { FIRST_PAGE, LAST_PAGE } from '../../listings/pages/page-places.ts';
import type { WaitingPageTable } from '../../listings/waiting-pages.ts';
import type { Store } from '../../stores/model.ts';
import type { StoreTable } from '../../stores/ports.ts';
import type { Clock } from '../../time/clock.ts';
import type { LaneView, LimiterView } from '../model.ts';

export interface ShowFlowPorts {
  readonly stores: Pick<StoreTable, 'list'>;
  readonly lanes: Pick<LaneTable, 'getMany'>;
  readonly pages: Pick<WaitingPageTable, 'query'>;
  readonly limits: Pick<LimitTable, 'get'>;
  /** The items of the limit, see `limitIdsOf`. */
  readonly limitIds: readonly string[];
  readonly requestsPerSecond: number;
  readonly clock: Pick<Clock, 'now'>;
}

/** Pages of waiting listings that are counted for a store. */
const PAGES_COUNTED = 20;

/**
 * The rate limiter, and what waits in the lanes of a page of stores: one query per lane.
 *
 * @param request.tries only lanes with so many failed requests since one was answered.
 */
export async function showFlow(
  ports: ShowFlowPorts,
  { tries = 0, ...request }: PageRequest & { readonly tries?: number | undefined },
): Promise<{ limiter: LimiterView; lanes: LaneView[]; cursor?: string }> {
  const [limiter, { stores, ...page }] = await Promise.all([viewLimiter(ports), ports.stores.list(request)]);
  const known = await ports.lanes.getMany(stores.map(({ storeClientId }) => storeClientId));
  const shown = stores.filter(({ storeClientId }) => (known.get(storeClientId)?.tries?.count ?? 0) >= tries);
  const lanes = await mapConcurrently(shown, READS_AT_A_TIME, (store) =>
    viewLane(ports, store, known.get(store.storeClientId)),
  );
  return { limiter, lanes, ...page };
}

async function viewLimiter(ports: ShowFlowPorts): Promise<LimiterView> {
  const items = await readLimits(ports, ports.limitIds);
  const now = ports.clock.now();
  const sumOf = (numberOf: (item: Limit) => number) => items.reduce((sum, item) => sum + numberOf(item), 0);
  const pausedUntil = Math.max(...items.map((item) => item.pausedUntil));
  const stop = items.find((item) => item.stop !== undefined)?.stop;
  return {
    requestsPerSecond: ports.requestsPerSecond,
    pace: sumOf((item) => paceAt(item, now)) / items.length,
    permits: sumOf(({ permits }) => Object.values(permits).filter((expiresAt) => expiresAt > now).length),
    sent: sumOf(({ succeeded = 0, failed = 0 }) => succeeded + failed),
    ...(pausedUntil > now && { pausedUntil: new Date(pausedUntil).toISOString() }),
    ...(stop && {
      stopped: { code: stop.code, message: stop.message, since: new Date(stop.since).toISOString() },
    }),
  };
}

async function viewLane(
  { pages, clock }: ShowFlowPorts,
  { storeClientId, state }: Pick<Store, 'storeClientId' | 'state'>,
  { leaseUntil = 0, waitsFor, tries }: Partial<Lane> = {},
): Promise<LaneView> {
  const range = { from: FIRST_PAGE, to: LAST_PAGE, limit: PAGES_COUNTED };
  const found = await pages.query(storeClientId, range);
  // The lane keeps what it waited for until it has work again: its store may be connected since.
  const isOver = found.pages.length === 0 || (waitsFor === 'connection' && state === 'connected');
  const oldest = Math.min(...found.pages.map(({ since }) => since));
  return {
    storeClientId,
    waiting: new Set(found.pages.flatMap(({ targets }) => targets)).size,
    hasMore: found.isMore,
    ...(Number.isFinite(oldest) && { oldestSince: new Date(oldest).toISOString() }),
    isHeld: leaseUntil > clock.now(),
    ...(waitsFor && !isOver && { waitsFor }),
    ...(tries && { tries }),
  };
}

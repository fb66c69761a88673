import {
  announcePending,
  type SweepBatchesPorts,
  type SweepReport,
  type SweepSettings,
  sweepBatches,
} from '../../batches/use-cases/sweep-batches.ts';
import { isolateFailure, type OnFailure } from '../../errors/isolate-failure.ts';
import type { StoreTable } from '../../stores/ports.ts';
import { isoTime } from '../../time/iso-time.ts';
import type { Domain } from '../domain.ts';
import type { Command, RequestKind, RequestRecord } from '../model.ts';
import { isEnded, unknown } from '../rules/states.ts';
import { recordHalves } from './plan-commands.ts';
import { applyRequest, LOST, type RunRequestPorts } from './run-request.ts';

export interface SweepRequestsPorts extends Pick<RunRequestPorts, 'requests' | 'archive' | 'clock'> {
  readonly stores: Pick<StoreTable, 'get'>;
  /** The domain that a kind of request belongs to. */
  readonly domainOf: (kind: RequestKind) => Pick<Domain<Command>, 'apply'>;
}

export interface SweepPorts {
  readonly ofBatches: SweepBatchesPorts;
  readonly ofRequests: SweepRequestsPorts;
}

/**
 * Ends what was left: batches that were not announced, requests that no delivery comes back to, and batches that are open
 * past their deadline, in this order, as a request that is ended may begin such a batch.
 *
 * @returns `announced`: batches; `abandoned`: requests.
 */
export async function sweep(
  { ofBatches, ofRequests }: SweepPorts,
  settings: SweepSettings,
): Promise<SweepReport & { readonly announced: number; readonly abandoned: number }> {
  const announced = await announcePending(ofBatches, settings);
  const abandoned = await sweepRequests(ofRequests, settings);
  return { announced, abandoned, ...(await sweepBatches(ofBatches, settings)) };
}

/** Milliseconds after which an end that was not applied is left by the invocation that brought it. */
const LEFT_AFTER_MS = 5 * 60_000;
/**
 * Milliseconds after its last delivery from which a command is not delivered again: it is deferred for 10 minutes, and
 * hidden in its queue for 12, at most; the rest is for the queue's length.
 */
const ABANDONED_AFTER_MS = 60 * 60_000;
/** A command waits for its store to be connected; its requests stay open no longer than this, in milliseconds. */
const WAITS_FOR_STORE_MS = 7 * 24 * 60 * 60_000;
const REQUESTS_PER_PAGE = 25;

/**
 * Ends the requests whose command is no longer delivered. A request that has its end is applied. A request whose sender
 * stopped before the answer becomes unknown.
 *
 * @param signal ends the work; the rest is left to the next sweep.
 * @param onFailure gets each failure; other requests are still processed.
 * @returns how many requests were ended.
 */
export async function sweepRequests(
  ports: SweepRequestsPorts,
  { signal, onFailure }: { readonly signal: AbortSignal; readonly onFailure: OnFailure },
): Promise<number> {
  const touchedBefore = isoTime(ports.clock.now() - LEFT_AFTER_MS);
  let ended = 0;
  let cursor: string | undefined;
  do {
    const page = await ports.requests.listOpen({ touchedBefore, limit: REQUESTS_PER_PAGE, cursor });
    for (const error of page.unreadable) onFailure(error);
    for (const request of page.requests) {
      if (signal.aborted) return ended;
      if (await isolateFailure(onFailure, () => endRequest(ports, request))) ended += 1;
    }
    cursor = page.cursor;
  } while (cursor !== undefined);
  return ended;
}

async function endRequest(ports: SweepRequestsPorts, seen: RequestRecord): Promise<boolean> {
  if (!isEnded(seen) && !(await isAbandoned(ports, seen))) return false;
  const record = await ports.requests.update(seen.recordId, (current) =>
    current?.touchedAt === seen.touchedAt ? unknown(current, LOST) : undefined,
  );
  if (record === undefined || !isEnded(record) || record.appliedAt !== undefined) return false;
  // A split request has no effect of its own: each half is swept separately.
  const { apply } =
    record.state === 'split' ? { apply: () => recordHalves(ports, record) } : ports.domainOf(record.kind);
  await applyRequest(ports, { apply }, record);
  return true;
}

/** Whether the request's commands are no longer redelivered. */
async function isAbandoned(
  ports: SweepRequestsPorts,
  { storeClientId, touchedAt }: RequestRecord,
): Promise<boolean> {
  const abandonedBefore = isoTime(ports.clock.now() - ABANDONED_AFTER_MS);
  if (touchedAt >= abandonedBefore) return false;
  const store = await ports.stores.get(storeClientId);
  if (store === undefined) return true;
  if (store.state === 'connected') return store.updatedAt < abandonedBefore;
  return touchedAt < isoTime(ports.clock.now() - WAITS_FOR_STORE_MS);
}

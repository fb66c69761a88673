import type { SettleBatchPorts } from '../../batches/ports.ts';
import {
  announcePending,
  type SweepReport,
  type SweepSettings,
  sweepBatches,
} from '../../batches/use-cases/settle-batches.ts';
import { eachPage } from '../../collections/page-request.ts';
import { withLogKeys } from '../../correlation/log-keys.ts';
import { isolateFailure, type OnFailure } from '../../errors/isolate-failure.ts';
import type { Domain } from '../domain.ts';
import type { Command, RequestKind, RequestRecord } from '../model.ts';
import type { LedgerPorts } from '../ports.ts';
import { ABANDONED } from '../rules/deferral.ts';
import { endedUnknown, hasEnded } from '../rules/states.ts';
import { recordHalves } from './request-rows.ts';
import { applyRequest, logKeysOf } from './run-request.ts';

interface SweepRequestsPorts extends Pick<LedgerPorts, 'requests' | 'archive' | 'clock' | 'stores'> {
  readonly domainOf: (kind: RequestKind) => Pick<Domain<Command>, 'apply'>;
}

/**
 * Publishes pending events of batches, ends abandoned requests, then settles batches past their deadline. Requests come before
 * batches because the end of an abandoned request may begin a batch that is already past its deadline.
 *
 * @returns `announced` counts batches, `abandoned` counts requests.
 */
export async function sweep(
  ports: SettleBatchPorts & SweepRequestsPorts,
  settings: SweepSettings,
): Promise<SweepReport & { readonly announced: number; readonly abandoned: number }> {
  const announced = await announcePending(ports, settings);
  const abandoned = await sweepRequests(ports, settings);
  return { announced, abandoned, ...(await sweepBatches(ports, settings)) };
}

/** An invocation that was not stopped applies the end of a request within this time. */
const APPLIED_WITHIN_MS = 5 * 60_000;
/**
 * A request is abandoned if its command was not delivered for this long. A command is deferred for at most 10 minutes and
 * invisible for at most 12; the rest is a margin for a long queue.
 */
const ABANDONED_AFTER_MS = 60 * 60_000;
/** While their store is not connected, requests stay open for this long. */
const WAITS_FOR_STORE_MS = 7 * 24 * 60 * 60_000;
const REQUESTS_PER_PAGE = 25;

/**
 * Ends the requests whose command is no longer redelivered. Applies a request that has ended; marks a request without an answer
 * as unknown, then applies it.
 *
 * @param signal stops the sweep. The next sweep processes the rest.
 * @param onFailure gets the error of each request that failed. Other requests are still processed.
 * @returns how many requests were ended.
 */
export async function sweepRequests(
  ports: SweepRequestsPorts,
  { signal, onFailure }: { readonly signal: AbortSignal; readonly onFailure: OnFailure },
): Promise<number> {
  const touchedBefore = new Date(ports.clock.now() - APPLIED_WITHIN_MS).toISOString();
  let ended = 0;
  const range = { touchedBefore, limit: REQUESTS_PER_PAGE };
  for await (const page of eachPage((request) => ports.requests.listOpen({ ...range, ...request }))) {
    for (const error of page.unreadable) onFailure(error);
    for (const request of page.requests) {
      if (signal.aborted) return ended;
      const isEnded = await withLogKeys(logKeysOf(request), () =>
        isolateFailure(onFailure, () => endRequest(ports, request)),
      );
      if (isEnded) ended += 1;
    }
  }
  return ended;
}

async function endRequest(ports: SweepRequestsPorts, seen: RequestRecord): Promise<boolean> {
  if (!hasEnded(seen) && !(await isAbandoned(ports, seen))) return false;
  const record = await ports.requests.update(seen.recordId, (current) =>
    current?.touchedAt === seen.touchedAt ? endedUnknown(current, ABANDONED) : undefined,
  );
  if (record === undefined || !hasEnded(record) || record.appliedAt !== undefined) return false;
  // A split request has no effect of its own: each half is swept separately.
  const { apply } =
    record.state === 'split' ? { apply: () => recordHalves(ports, record) } : ports.domainOf(record.kind);
  await applyRequest(ports, { apply }, record);
  return true;
}

async function isAbandoned(
  ports: SweepRequestsPorts,
  { storeClientId, touchedAt }: RequestRecord,
): Promise<boolean> {
  const abandonedBefore = new Date(ports.clock.now() - ABANDONED_AFTER_MS).toISOString();
  if (touchedAt >= abandonedBefore) return false;
  const store = await ports.stores.get(storeClientId);
  if (store === undefined) return true;
  if (store.state === 'connected') return store.updatedAt < abandonedBefore;
  return touchedAt < new Date(ports.clock.now() - WAITS_FOR_STORE_MS).toISOString();
}

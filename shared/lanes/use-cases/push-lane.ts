import type { EpochMs } from '../../time/times.ts';
import { CLOCK_MARGIN_MS, permitWait } from '../../time/waits.ts';
import type { LaneContext, LaneCounts, LaneReport, LaneSettings, PushLanePorts } from './lane-context.ts';
import { LaneRun } from './lane-run.ts';

export interface LanePush {
  readonly storeClientId: string;
  /** After it no further place is reserved. Requests with a place, at most 2 s later, are still sent and end. */
  readonly stopAt: EpochMs;
  /** Aborts requests in flight; their rows are unknown. */
  readonly signal: AbortSignal;
  /** Called if the push fails. Otherwise the report has the counts. */
  readonly onFailure?: (counts: LaneCounts) => void;
}

/**
 * Works on the lane of one store for a bounded time. Takes its lease and sends waiting values in the order of P5, with several
 * requests in flight and no target in two of them. Ends when no value is due, the time is over, other lanes wait, or the
 * marketplace asks to wait. If the lane must wait, it sends a delayed ticket; the message does not fail.
 */
export async function pushLane(
  ports: PushLanePorts,
  settings: LaneSettings,
  push: LanePush,
): Promise<LaneReport> {
  const { storeClientId } = push;
  const nothing = { requests: 0, rows: 0, rejections: {}, leaseExpired: false };
  const before = await ports.lanes.get(storeClientId);
  const now = ports.clock.now();
  // The pause has its own ticket, which may come early by that much. Tickets of changes or of the waker would only multiply.
  if (before?.paused !== undefined && before.paused.until - now > CLOCK_MARGIN_MS) {
    return { ended: 'paused', ...nothing };
  }
  const leaseId = ports.newId();
  const leasedUntil = now + settings.attemptLifetimeMs + permitWait.longestMs;
  const lane = await ports.lanes.acquire(storeClientId, { leaseId, now, until: leasedUntil });
  if (lane === undefined) {
    await ports.lanes.markDirty(storeClientId);
    return { ended: 'held-elsewhere', ...nothing };
  }
  // After the lease was taken: a change of the store's names has the lease while it works.
  const store = await ports.stores.get(storeClientId);
  if (store?.state !== 'connected') {
    const { oneAtATime, rowsAtMost } = lane;
    if (lane.waitsFor !== 'connection') {
      await ports.lanes.remember(storeClientId, { waitsFor: 'connection', oneAtATime, rowsAtMost });
    }
    await ports.lanes.release(storeClientId, { leaseId });
    return { ended: 'not-connected', ...nothing };
  }
  const context: LaneContext = { ports, settings, store, leaseId, leasedUntil, signal: push.signal };
  const leaseExpired = before?.leaseUntil !== undefined && before.leaseUntil <= now;
  const run = new LaneRun(context, push.stopAt, lane, { ...nothing, leaseExpired });
  try {
    return await run.drain();
  } catch (error) {
    push.onFailure?.(run.counts);
    throw error;
  }
}

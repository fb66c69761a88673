import type { LaneCounts, LaneReport, LaneSettings, PushLanePorts } from './lane-context.ts';
import { LaneRun } from './lane-run.ts';

export interface LanePush {
  readonly storeClientId: string;
  /** Epoch ms after which no further place is asked for; what has one, 2 s later at most, still leaves and ends. */
  readonly stopAt: number;
  /** Aborts what is in flight; its rows end as unknown. */
  readonly signal: AbortSignal;
  /** Called with what was counted until the push failed; where it does not, the report says it. */
  readonly onFailure?: (counts: LaneCounts) => void;
}

/** Milliseconds by which the ticket of a pause may come early: clocks differ. */
const EARLY_MS = 1_000;

/**
 * Works on one store's lane for a turn: takes its lease, sends what waits in the order of P5 with several requests
 * in flight and no target in two of them, until nothing is due, the time is up, other lanes wait, or the marketplace
 * asks to wait. "Not now" ends in a delayed ticket, never in a failed message.
 */
export async function pushLane(
  ports: PushLanePorts,
  settings: LaneSettings,
  push: LanePush,
): Promise<LaneReport> {
  const { storeClientId } = push;
  const nothing = { requests: 0, rows: 0, rejections: {}, leaseExpired: false };
  const store = await ports.stores.get(storeClientId);
  const before = await ports.lanes.get(storeClientId);
  if (store?.state !== 'connected') {
    const { oneAtATime, rowsAtMost } = before ?? {};
    if (before?.waitsFor !== 'connection') {
      await ports.lanes.remember(storeClientId, { waitsFor: 'connection', oneAtATime, rowsAtMost });
    }
    return { ended: 'not-connected', ...nothing };
  }
  const now = ports.clock.now();
  // The ticket that the pause has left comes then. Others, of new changes and of the waker, would be sent on and on.
  if (before?.paused !== undefined && before.paused.until - now > EARLY_MS) {
    return { ended: 'paused', ...nothing };
  }
  const leaseId = ports.newId();
  const until = now + settings.attemptLifetimeMs;
  const lane = await ports.lanes.acquire(storeClientId, { leaseId, now, until });
  if (lane === undefined) {
    await ports.lanes.markDirty(storeClientId);
    return { ended: 'held-elsewhere', ...nothing };
  }
  // Read again: a change of a store's names holds its lane meanwhile.
  const current = (await ports.stores.get(storeClientId)) ?? store;
  const context = { ports, settings, store: current, leaseId, signal: push.signal };
  const leaseExpired = before?.leaseUntil !== undefined && before.leaseUntil <= now;
  const run = new LaneRun(context, push.stopAt, lane);
  try {
    return { ...(await run.drain()), leaseExpired };
  } catch (error) {
    push.onFailure?.({ ...run.counts, leaseExpired });
    throw error;
  }
}

import type { MarketplaceError } from '../../marketplace/errors.ts';
import { backOffMs, backOffs, type FailureMeaning } from '../../marketplace/failures.ts';
import type { NoPlace } from '../../marketplace/options.ts';
import { suspendStore } from '../../stores/use-cases/for-connected-store.ts';
import type { Lane, LaneState } from '../model.ts';
import { type HolderReport, type LaneContext, LeaseLostError } from './lane-context.ts';
import { leavingPriorities } from './pick-request.ts';

/** Why a holder sends no more. */
export type Halt =
  | { readonly reason: 'failure'; readonly error: unknown }
  | { readonly reason: 'suspended' | 'stopped' | 'partner-refused' }
  /** `untilMs`: milliseconds before the lane is looked at again; `noPlace`: as the rate limiter has no place for it. */
  | { readonly reason: 'paused'; readonly untilMs: number; readonly noPlace?: true };

/** Nothing was done, and nothing can be sent now. */
export interface Refusal {
  readonly verdict: Exclude<FailureMeaning, 'unknown' | 'rows'>;
  readonly error: MarketplaceError;
}

/** Milliseconds, jittered by half, for which a lane that got no place does not ask again: at first, and at most. */
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 20_000;

/** How a lane halts when the rate limiter has no place. */
export function haltOfLimit({ reason, retryAt }: NoPlace, now: number): Halt {
  return reason === 'stopped'
    ? { reason }
    : { reason: 'paused', untilMs: Math.max(0, retryAt - now), noPlace: true };
}

/** How a lane halts after a refusal. */
export function haltOfRefusal({ verdict, error }: Refusal, random: () => number): Halt {
  if (verdict === 'store-refused') return { reason: 'suspended' };
  if (verdict === 'partner-refused') return { reason: 'partner-refused' };
  // A refusal that no row caused may last, so the lane retries rarely.
  const failures = verdict === 'not-now' ? 2 : 5;
  return { reason: 'paused', untilMs: error.retryAfterMs ?? backOffMs(backOffs.row, failures, random) };
}

/** Makes a refusal known to all lanes. Returns another halt if the store was given a new token meanwhile. */
export async function reportRefusal(
  { ports, store }: LaneContext,
  { verdict, error }: Refusal,
): Promise<Halt | undefined> {
  if (verdict === 'partner-refused') await ports.limiter.stop(error);
  if (verdict !== 'store-refused') return undefined;
  await suspendStore(ports, store, error);
  const current = await ports.stores.get(store.storeClientId);
  const isRotated = current?.state === 'connected' && current.storeToken !== store.storeToken;
  // Requests that were refused with the old token are sent with the new one at once, not at the next round of the waker.
  return isRotated ? { reason: 'paused', untilMs: 0 } : undefined;
}

/** The work of a holder when it releases the lane, and the state for the next holder. */
interface Leaving {
  readonly done: Omit<HolderReport, 'ended'>;
  readonly state: LaneState;
}

/** How a holder leaves its lane: the lease, the ticket with which the lane goes on, and the report. */
export class LaneExit {
  readonly #context: LaneContext;
  readonly #before: Lane;
  #dirty: number;

  /** `lane`: as it was when the lease was taken. */
  constructor(context: LaneContext, lane: Lane) {
    this.#context = context;
    this.#before = lane;
    this.#dirty = lane.dirty;
  }

  /** Releases the lane; `false` when a ticket came in the meantime: the lane must be looked at once more. */
  async release(): Promise<boolean> {
    const { ports, store, leaseId } = this.#context;
    const released = await ports.lanes.release(store.storeClientId, { leaseId, dirty: this.#dirty });
    if (released !== 'dirty') return true;
    this.#dirty = (await ports.lanes.get(store.storeClientId))?.dirty ?? this.#dirty;
    return false;
  }

  /** Throws what a `failure` was, unless the lease has another holder by now. */
  async halted(halt: Halt, leaving: Leaving): Promise<HolderReport> {
    if (halt.reason === 'failure') {
      if (halt.error instanceof LeaseLostError) return { ended: 'lost', ...leaving.done };
      // What was in flight may not be settled: the lease runs out before anything leaves again.
      throw halt.error;
    }
    const paused =
      halt.reason === 'paused' && halt.noPlace ? this.#pauseOf(halt.untilMs, leaving) : undefined;
    await this.#releaseAnyway({ ...leaving.state, paused });
    if (paused !== undefined) await this.#goOnIn(paused.until - this.#context.ports.clock.now());
    else if (halt.reason === 'paused') await this.#goOnIn(halt.untilMs);
    return { ended: halt.reason, ...leaving.done };
  }

  /** Others use the whole limit: the longer a lane has waited for a place, the less often it asks. */
  #pauseOf(untilMs: number, { done }: Leaving): NonNullable<LaneState['paused']> {
    const { clock, random } = this.#context.ports;
    const count = done.requests > 0 ? 1 : (this.#before.paused?.count ?? 0) + 1;
    const backOffMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (count - 1)) * (0.5 + random());
    return { until: Math.ceil(clock.now() + Math.max(untilMs, backOffMs)), count };
  }

  /** What still waits goes on behind the other lanes. */
  async turnOver(leaving: Leaving): Promise<HolderReport> {
    await this.#releaseAnyway(leaving.state);
    await this.#goOnIn(0);
    return { ended: 'turn-over', ...leaving.done };
  }

  /** The lane is released already. What backs off, or must not leave before a time, is looked at again when it is due. */
  async drained({ done, state }: Leaving): Promise<HolderReport> {
    const { ports, store } = this.#context;
    await this.#remember(state);
    const priorities = leavingPriorities(state.waitsFor === 'release');
    const due = await ports.listings.nextDue(store.storeClientId, priorities);
    if (due !== undefined) await this.#goOnIn(Math.max(0, due - ports.clock.now()));
    return { ended: 'drained', ...done };
  }

  /** Every outcome is known, or noted in its listing with the time before which nothing leaves. */
  async #releaseAnyway(state: LaneState): Promise<void> {
    const { ports, store, leaseId } = this.#context;
    while (!(await this.release())) {
      const lane = await ports.lanes.get(store.storeClientId);
      if (lane?.leaseId !== leaseId) break;
    }
    await this.#remember(state);
  }

  async #remember(state: LaneState): Promise<void> {
    const { waitsFor, oneAtATime, rowsAtMost, paused } = this.#before;
    const isSame =
      waitsFor === state.waitsFor &&
      oneAtATime === state.oneAtATime &&
      rowsAtMost === state.rowsAtMost &&
      paused?.until === state.paused?.until;
    if (!isSame) await this.#context.ports.lanes.remember(this.#before.storeClientId, state);
  }

  async #goOnIn(delayMs: number): Promise<void> {
    const { ports, store } = this.#context;
    await ports.tickets.send([{ storeClientId: store.storeClientId }], { delayMs });
  }
}

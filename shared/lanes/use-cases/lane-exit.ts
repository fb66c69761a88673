import { LONGEST_PAUSE_MS as LONGEST_LIMIT_PAUSE_MS } from '../../limits/model.ts';
import type { MarketplaceError } from '../../marketplace/errors.ts';
import { backOffMs, backOffs, type FailureMeaning } from '../../marketplace/failures.ts';
import type { NoPlace } from '../../marketplace/options.ts';
import { suspendStore } from '../../stores/use-cases/for-connected-store.ts';
import type { Lane, LaneState } from '../model.ts';
import { type LaneContext, type LaneReport, LeaseLostError } from './lane-context.ts';
import { sendingPriorities } from './pick-request.ts';

/** Why a holder stops before all values are sent. */
export type Halt =
  | { readonly reason: 'failure'; readonly error: unknown }
  | { readonly reason: 'suspended' | 'stopped' | 'partner-refused' }
  /** `untilMs`: milliseconds until the next ticket. `noPlace`: the rate limiter has no place for the lane. */
  | { readonly reason: 'paused' | 'turn-over'; readonly untilMs: number; readonly noPlace?: true };

/** A refusal without effect, after which nothing can be sent now. */
export interface Refusal {
  readonly verdict: Exclude<FailureMeaning, 'unknown' | 'rows'>;
  readonly error: MarketplaceError;
}

/** Milliseconds, jittered by half, of the first and of the longest pause of a lane that got no place. */
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 20_000;

/** The halt of a lane that got no place. */
export function haltOfLimit({ reason, retryAt }: NoPlace, now: number): Halt {
  return reason === 'stopped'
    ? { reason }
    : { reason: 'paused', untilMs: Math.max(0, retryAt - now), noPlace: true };
}

/** The halt of a lane after a refusal. */
export function haltOfRefusal({ verdict, error }: Refusal, random: () => number): Halt {
  if (verdict === 'store-refused') return { reason: 'suspended' };
  if (verdict === 'partner-refused') return { reason: 'partner-refused' };
  // A refusal without a row at fault may last long, so the lane retries rarely.
  const failures = verdict === 'not-now' ? 2 : 5;
  const untilMs = error.retryAfterMs ?? backOffMs(backOffs.row, failures, random);
  // During a longer `Retry-After` one request a minute asks whether it still holds.
  return { reason: 'paused', untilMs: Math.min(untilMs, LONGEST_LIMIT_PAUSE_MS) };
}

/** Stops what the refusal concerns: all lanes, or the store. Returns another halt if the store has a new token. */
export async function reportRefusal(
  { ports, store }: LaneContext,
  { verdict, error }: Refusal,
): Promise<Halt | undefined> {
  if (verdict === 'partner-refused') await ports.limiter.stop(error);
  if (verdict !== 'store-refused') return undefined;
  await suspendStore(ports, store, error);
  const current = await ports.stores.get(store.storeClientId);
  const isRotated = current?.state === 'connected' && current.storeToken !== store.storeToken;
  // With the new token the lane continues at once, and not at the next round of the waker.
  return isRotated ? { reason: 'paused', untilMs: 0 } : undefined;
}

/** A holder's counts, and the state of the lane for the next holder. */
interface Work {
  readonly done: Omit<LaneReport, 'ended'>;
  readonly state: LaneState;
}

/** Ends a holder's work: releases the lease, sends the next ticket, and makes the report. */
export class LaneExit {
  readonly #context: LaneContext;
  readonly #before: Lane;
  #dirty: number;

  /** `lane`: as read when the lease was taken. */
  constructor(context: LaneContext, lane: Lane) {
    this.#context = context;
    this.#before = lane;
    this.#dirty = lane.dirty;
  }

  /** Releases the lease. Returns `false` if a ticket has come meanwhile: the holder must look for work again. */
  async release(): Promise<boolean> {
    const { ports, store, leaseId } = this.#context;
    const dirty = await ports.lanes.release(store.storeClientId, { leaseId, dirty: this.#dirty });
    this.#dirty = dirty ?? this.#dirty;
    return dirty === undefined;
  }

  /** Ends the work after a halt. Throws the error of a `failure`, unless another holder has the lease. */
  async halted(halt: Halt, { done, state }: Work): Promise<LaneReport> {
    if (halt.reason === 'failure') {
      if (halt.error instanceof LeaseLostError) return { ended: 'lost', ...done };
      // A request may not be settled. Nothing is sent before the lease expires.
      throw halt.error;
    }
    const { ports, store, leaseId } = this.#context;
    const untilMs = 'untilMs' in halt ? halt.untilMs : undefined;
    const paused =
      'noPlace' in halt && untilMs !== undefined ? this.#pauseOf(untilMs, done.requests > 0) : undefined;
    // Before the release: the next holder must not be paused by what this one remembers.
    await this.#remember({ ...state, paused });
    // Without a look for new work. Safe: each listing has its outcome, or the time until which it waits.
    await ports.lanes.release(store.storeClientId, { leaseId });
    const delayMs = paused === undefined ? untilMs : paused.until - ports.clock.now();
    if (delayMs !== undefined) await this.#goOnIn(delayMs);
    return { ended: halt.reason, ...done };
  }

  /** The pauses of a lane become longer while other lanes use the whole limit. */
  #pauseOf(untilMs: number, hasSent: boolean): NonNullable<LaneState['paused']> {
    const { clock, random } = this.#context.ports;
    const count = hasSent ? 1 : (this.#before.paused?.count ?? 0) + 1;
    const backOffMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (count - 1)) * (0.5 + random());
    return { until: Math.ceil(clock.now() + Math.max(untilMs, backOffMs)), count };
  }

  /** Ends the work after `release`. A delayed ticket comes when the next value may be sent. */
  async drained({ done, state }: Work): Promise<LaneReport> {
    const { ports, store } = this.#context;
    await this.#remember(state);
    const priorities = sendingPriorities(state.waitsFor === 'release');
    const due = await ports.listings.nextDue(store.storeClientId, priorities);
    if (due !== undefined) await this.#goOnIn(Math.max(0, due - ports.clock.now()));
    return { ended: 'drained', ...done };
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

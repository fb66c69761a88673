import type { NoPlace } from '../../limits/ports.ts';
import type { MarketplaceError } from '../../marketplace/errors.ts';
import type { FailureMeaning } from '../../marketplace/failures.ts';
import { suspendStore } from '../../stores/use-cases/operate-store.ts';
import type { EpochMs } from '../../time/times.ts';
import { lanePauseMs, laneRefusalMs } from '../../time/waits.ts';
import type { Lane, LaneState } from '../model.ts';
import { type LaneContext, type LaneCounts, type LaneReport, LeaseLostError } from './lane-context.ts';
import { sendingPriorities } from './pick-request.ts';

/** Why a holder stops before all values are sent. */
export type Halt =
  | { readonly reason: 'failure'; readonly error: unknown }
  | { readonly reason: 'stopped' | 'partner-refused' }
  /** `waitMs`: time until the next ticket. With a `cause` the lane is paused: tickets that come earlier are ignored. */
  | {
      readonly reason: 'paused' | 'turn-over' | 'suspended';
      readonly waitMs: number;
      readonly cause?: 'no-place' | 'retry-after';
    };

/** A request was refused and had no effect, and no other request can be sent now. */
export interface Refusal {
  readonly verdict: Exclude<FailureMeaning, 'unknown' | 'rows'>;
  readonly error: MarketplaceError;
}

/** The halt of a lane that got no place. */
export function haltOfLimit({ reason, retryAt }: NoPlace, now: EpochMs): Halt {
  return reason === 'busy'
    ? { reason: 'paused', waitMs: Math.max(0, retryAt - now), cause: 'no-place' }
    : { reason: 'stopped' };
}

/** The halt of a lane after a refusal. */
export function haltOfRefusal({ verdict, error }: Refusal, random: () => number): Halt {
  // The next ticket finds the store suspended, or with a new token.
  if (verdict === 'store-refused') return { reason: 'suspended', waitMs: 0 };
  if (verdict === 'partner-refused') return { reason: 'partner-refused' };
  const waitMs = laneRefusalMs(verdict, error, random);
  return { reason: 'paused', waitMs, ...(error.retryAfterMs !== undefined && { cause: 'retry-after' }) };
}

/** Stops what the refusal concerns: all lanes, or the store. */
export async function reportRefusal(
  { ports, store }: LaneContext,
  { verdict, error }: Refusal,
): Promise<void> {
  if (verdict === 'partner-refused') await ports.limiter.stop(error);
  if (verdict === 'store-refused') await suspendStore(ports, store, error);
}

/** What a holder has done, and the state of the lane for the next one. */
interface Work {
  readonly done: LaneCounts;
  readonly state: LaneState;
}

/** Ends a holder's work: releases the lease, sends the next ticket, and makes the report. */
export class LaneExit {
  readonly #context: LaneContext;
  /** The pauses of the lane before its lease was taken. */
  readonly #pauses: number;
  #dirty: number;

  /** `lane`: as read when the lease was taken. */
  constructor(context: LaneContext, { dirty, paused }: Lane) {
    this.#context = context;
    this.#pauses = paused?.count ?? 0;
    this.#dirty = dirty;
  }

  /**
   * Ends the work if nothing is due. A delayed ticket comes when the next value may be sent. `undefined` if a ticket has come
   * meanwhile: the holder must look for work again.
   */
  async drained({ done, state }: Work): Promise<LaneReport | undefined> {
    const { ports, store, leaseId } = this.#context;
    const lease = { leaseId, dirty: this.#dirty, state };
    const dirty = await ports.lanes.release(store.storeClientId, lease);
    if (dirty !== undefined) {
      this.#dirty = dirty;
      return undefined;
    }
    // Read this after the release: a value that is written after it comes with a ticket, so no value is missed.
    const priorities = sendingPriorities(state.waitsFor === 'release');
    const due = await ports.listings.nextDue(store.storeClientId, priorities);
    if (due !== undefined) await this.#goOnIn(Math.max(0, due - ports.clock.now()));
    return { ended: 'drained', ...done };
  }

  /** Ends the work after a halt. Throws the error of a `failure`, unless another holder has the lease. */
  async halted(halt: Halt, { done, state }: Work): Promise<LaneReport> {
    if (halt.reason === 'failure') {
      if (halt.error instanceof LeaseLostError) return { ended: 'lost', ...done };
      // A request may be left unsettled. The lease is kept, so that nothing is sent before it expires.
      throw halt.error;
    }
    const { ports, store, leaseId } = this.#context;
    const waitMs = 'waitMs' in halt ? halt.waitMs : undefined;
    const paused = this.#pauseOf(halt, done.requests > 0);
    // Do not look for new work here. Nothing is lost: every listing has an outcome or a time.
    await ports.lanes.release(store.storeClientId, { leaseId, state: { ...state, paused } });
    const delayMs = paused === undefined ? waitMs : paused.until - ports.clock.now();
    if (delayMs !== undefined) await this.#goOnIn(delayMs);
    return { ended: halt.reason, ...done };
  }

  /** The pause of the lane: as a `Retry-After` asks, or, if the lane got no place, longer each time. */
  #pauseOf(halt: Halt, hasSent: boolean): LaneState['paused'] {
    if (!('cause' in halt)) return undefined;
    const { clock, random } = this.#context.ports;
    const { waitMs, cause } = halt;
    if (cause === 'retry-after') return { until: Math.ceil(clock.now() + waitMs), count: 0 };
    const count = hasSent ? 1 : this.#pauses + 1;
    return { until: Math.ceil(clock.now() + Math.max(waitMs, lanePauseMs(count, random))), count };
  }

  async #goOnIn(delayMs: number): Promise<void> {
    const { ports, store } = this.#context;
    await ports.tickets.send([{ storeClientId: store.storeClientId }], { delayMs });
  }
}

import type { PermitOutcome } from '../marketplace/options.ts';
import type { Clock } from '../time/clock.ts';
import type { Limit, LimitSettings, Reservation } from './model.ts';
import type { LimitTable } from './ports.ts';
import { giveBack, stopLanes } from './rules/give-back.ts';
import { freshLimit, type ReserveDecision, reserve } from './rules/reserve.ts';

export interface LimiterPorts {
  readonly limits: LimitTable;
  readonly clock: Clock;
  /** Unique every time. */
  readonly newId: () => string;
  /** Uniform in [0, 1), for jitter. */
  readonly random: () => number;
}

export interface AcquireRequest {
  /** Whose request it is: stores that want leave at the same time share it. Those that name no store count as one. */
  readonly storeClientId?: string | undefined;
  /** Epoch ms: leave that can't be had by then is refused. */
  readonly until: number;
  /** Whether to keep to a stop of the lanes. Default `false`. */
  readonly heedsStop?: boolean;
  /** Whether to let others go first, whoever they are. Default `false`. */
  readonly yields?: boolean;
  readonly signal?: AbortSignal;
}

/** Leave to send one request now. One that is not given back expires by itself. */
export interface LimitPermit {
  /** Tells how the request ended. Giving back twice does no harm. */
  release(outcome: PermitOutcome): Promise<void>;
}

export type Grant =
  | { readonly granted: true; readonly permit: LimitPermit }
  /** `retryAt`: epoch ms from which asking again makes sense. */
  | {
      readonly granted: false;
      readonly reason: Extract<ReserveDecision, { reserved: false }>['reason'];
      readonly retryAt: number;
    };

/** The rate and the number in flight that all functions of a partner share (design P6). */
export interface Limiter {
  /** Resolves when the request may leave, or as soon as it is known that it may not in time. */
  acquire(request: AcquireRequest): Promise<Grant>;
  /** Stops the lanes, all but one that tries now and then, until a request of anyone's succeeds. */
  stop(refusal: { code: string; message: string }): Promise<void>;
  get(): Promise<Limit | undefined>;
}

/** Milliseconds between two looks for a permit to come back; jittered by half. */
const LOOK_AGAIN_MS = 100;
/** Milliseconds over which those who yielded come back, so that they do not all write at the same moment. */
const YIELDED_JITTER_MS = 20;
/** Milliseconds after which a function that got no permit in time should ask again. */
const IN_FLIGHT_RETRY_MS = 1_000;

/** The limiter over one item of the Limits table. */
export function createLimiter(ports: LimiterPorts, settings: LimitSettings, limitId: string): Limiter {
  const { limits, clock } = ports;

  const reserveOnce = async (permitId: string, request: AcquireRequest) => {
    const { storeClientId, until, heedsStop = false, yields = false } = request;
    let decision: ReserveDecision | undefined;
    let looks = 0;
    await limits.update(limitId, (current = freshLimit(limitId)) => {
      looks += 1;
      const asked = { permitId, storeClientId, now: clock.now(), until, heedsStop, yields };
      const next = reserve(current, settings, asked);
      decision = next.decision;
      // A hint that met another writer has time until the next look, so that those who wait do not hold up each other.
      const isWorthIt = decision.reserved || permitId in current.permits || (next.isHint && looks === 1);
      return isWorthIt ? next.limit : undefined;
    });
    if (decision === undefined) throw new RangeError('the Limits table asked for no decision');
    return decision;
  };

  const release = async (reservation: Reservation, outcome: PermitOutcome) => {
    await limits.update(
      limitId,
      (current) => current && giveBack(current, reservation, outcome, clock.now()),
    );
  };

  /** `false` when the slot was overtaken by a pause: a new one is needed. */
  const waitForSlot = async (reservation: Reservation, signal?: AbortSignal): Promise<boolean> => {
    const waitMs = reservation.slotAt - clock.now();
    if (waitMs <= 0) return true;
    try {
      await clock.sleep(waitMs, signal);
    } catch (error) {
      await release(reservation, { unused: true });
      throw error;
    }
    const newest = await limits.get(limitId);
    return newest !== undefined && newest.pausedUntil <= reservation.slotAt;
  };

  return {
    acquire: async (request) => {
      const permitId = ports.newId();
      for (;;) {
        const decision = await reserveOnce(permitId, request);
        if (decision.reserved) {
          const { reservation } = decision;
          if (!(await waitForSlot(reservation, request.signal))) continue;
          return { granted: true, permit: { release: (outcome) => release(reservation, outcome) } };
        }
        const { reason, retryAt } = decision;
        if (reason === 'paced' || reason === 'stopped') return { granted: false, reason, retryAt };
        const now = clock.now();
        if (now >= request.until) return { granted: false, reason, retryAt: now + IN_FLIGHT_RETRY_MS };
        const waitMs =
          reason === 'yielded'
            ? Math.min(retryAt, request.until) - now + YIELDED_JITTER_MS * ports.random()
            : LOOK_AGAIN_MS * (0.5 + ports.random());
        await clock.sleep(Math.ceil(waitMs), request.signal);
      }
    },

    stop: async (refusal) => {
      await limits.update(limitId, (current = freshLimit(limitId)) =>
        stopLanes(current, settings, refusal, clock.now()),
      );
    },

    get: () => limits.get(limitId),
  };
}

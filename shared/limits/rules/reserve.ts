import type { Limit, LimitSettings, Reservation } from '../model.ts';
import { spacingMs } from './pace.ts';

/** A slot that passed unused this short ago may still be used: it was on its way to a function. */
const CATCH_UP_MS = 20;
/** Share of the distance between two slots, before a slot that nobody took, from which one that yields may take it. */
const YIELDS_UNTIL = 0.25;
/** Those that yield get one of so many slots whoever else waits, so that they get on, unless they wait for their own. */
const OWN_SLOT_EVERY = 10;

export interface ReserveRequest {
  /** A second request with the same ID takes the place of the first. */
  readonly permitId: string;
  /** Epoch ms. */
  readonly now: number;
  /** Epoch ms: a later slot is of no use. */
  readonly until: number;
  /** Whether to keep to a stop of the lanes; one that comes after its end tries for all. */
  readonly heedsStop: boolean;
  /**
   * Whether to let others go first: only a slot that nobody took shortly before it, and never the last permit. Default
   * `false`.
   */
  readonly yields?: boolean;
}

export type ReserveDecision =
  | { readonly reserved: true; readonly reservation: Reservation }
  /** `retryAt`: epoch ms before which asking again is in vain; of `in-flight` unknown, as it depends on others. */
  | {
      readonly reserved: false;
      readonly reason: 'paced' | 'in-flight' | 'stopped' | 'yielded';
      readonly retryAt: number;
    };

/** A limit that nobody has used yet. */
export function freshLimit(limitId: string): Limit {
  return {
    limitId,
    nextSlotAt: 0,
    permits: {},
    pausedUntil: 0,
    slowedAt: 0,
    pace: 1,
    minute: 0,
    granted: 0,
    grantedBefore: 0,
  };
}

/** Takes the next slot and a permit, or tells why not and until when. The limit comes back without expired permits. */
export function reserve(
  current: Limit,
  settings: LimitSettings,
  request: ReserveRequest,
): { limit: Limit; decision: ReserveDecision } {
  const { permitId, now, until, heedsStop, yields = false } = request;
  const limit = { ...current, permits: permitsAlive(current, permitId, now) };
  const refuse = (reason: Extract<ReserveDecision, { reserved: false }>['reason'], retryAt: number) =>
    ({ limit, decision: { reserved: false, reason, retryAt } }) as const;

  const { stop } = limit;
  if (heedsStop && stop !== undefined && stop.retryAt > now) return refuse('stopped', stop.retryAt);
  const distance = spacingMs(limit, settings, now);
  const stepsAside = yields && !isStarved(limit, now, distance);
  const spare = stepsAside && settings.requestsInFlight > 1 ? 1 : 0;
  if (Object.keys(limit.permits).length >= settings.requestsInFlight - spare) return refuse('in-flight', now);
  const slotBefore = Math.max(limit.nextSlotAt, limit.pausedUntil, now - CATCH_UP_MS);
  const slotAt = Math.max(slotBefore, now);
  if (slotAt > until) return refuse('paced', slotAt);
  const yieldsUntil = slotAt - YIELDS_UNTIL * distance;
  if (stepsAside && now < yieldsUntil) return refuse('yielded', yieldsUntil);

  const slotAfter = slotBefore + spacingMs(limit, settings, slotAt);
  const permits = { ...limit.permits, [permitId]: slotAt + settings.permitLifetimeMs };
  const yielding = yields ? { permitId, slotAt } : limit.yielding;
  const taken = counted({ ...limit, nextSlotAt: slotAfter, permits, ...(yielding && { yielding }) }, now);
  return {
    limit:
      heedsStop && stop !== undefined
        ? { ...taken, stop: { ...stop, retryAt: now + settings.stopMs } }
        : taken,
    decision: { reserved: true, reservation: { permitId, slotAt, slotBefore, slotAfter } },
  };
}

/** Whether those that yield got nothing for long, and nothing of theirs is under way. */
function isStarved({ yielding, permits }: Limit, now: number, distance: number): boolean {
  if (yielding === undefined) return true;
  return !(yielding.permitId in permits) && now - yielding.slotAt >= OWN_SLOT_EVERY * distance;
}

function permitsAlive({ permits }: Limit, but: string, now: number): Limit['permits'] {
  return Object.fromEntries(
    Object.entries(permits).filter(([id, expiresAt]) => id !== but && expiresAt > now),
  );
}

function counted(limit: Limit, now: number): Limit {
  const minute = Math.floor(now / 60_000);
  if (minute === limit.minute) return { ...limit, granted: limit.granted + 1 };
  return { ...limit, minute, granted: 1, grantedBefore: minute === limit.minute + 1 ? limit.granted : 0 };
}

/** Permits granted in the whole minute before `now`. */
export function grantedInMinuteBefore({ minute, granted, grantedBefore }: Limit, now: number): number {
  const current = Math.floor(now / 60_000);
  if (minute === current) return grantedBefore;
  return minute === current - 1 ? granted : 0;
}

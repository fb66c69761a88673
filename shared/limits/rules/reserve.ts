import type { Limit, LimitSettings, Reservation } from '../model.ts';
import { counted } from './count.ts';
import { spacingMs } from './pace.ts';
import { hasItsTurn, leavesPermits, storesAlive, withServed, withWaiting } from './shares.ts';

/** A slot that passed unused this short ago may still be used: it was on its way to a function. */
const CATCH_UP_MS = 20;
/** Share of the distance between two slots, before a slot that nobody took, from which one that yields may take it. */
const YIELDS_UNTIL = 0.25;
/** The same in milliseconds at least: a slot must be taken before it has passed, however fast they follow each other. */
const YIELDS_UNTIL_MS = 50;
/** Those that yield get one of so many slots whoever else waits, so that they get on, unless they wait for their own. */
const OWN_SLOT_EVERY = 10;
/** What callers that name no store count as, together: the search for brands, onboarding. */
const NO_STORE = '-';

export interface ReserveRequest {
  /** A second request with the same ID takes the place of the first. */
  readonly permitId: string;
  /** Whose request it is; those that name no store count as one. */
  readonly storeClientId?: string | undefined;
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

export type ReserveDecision = { readonly reserved: true; readonly reservation: Reservation } | Refused;

interface Refused {
  readonly reserved: false;
  /** `in-flight`: no permit is free, or those that are free are for other stores. */
  readonly reason: 'paced' | 'in-flight' | 'stopped' | 'yielded';
  /** Epoch ms before which asking again is in vain; of `in-flight` unknown, as it depends on others. */
  readonly retryAt: number;
}

/** A limit that nobody has used yet. */
export function freshLimit(limitId: string): Limit {
  return {
    limitId,
    nextSlotAt: 0,
    permits: {},
    stores: {},
    pausedUntil: 0,
    slowedAt: 0,
    pace: 1,
    minute: 0,
    granted: 0,
    grantedBefore: 0,
  };
}

/**
 * Takes the next slot and a permit, or tells why not and until when. `limit` comes back without what has expired;
 * `isHint`: nothing changed but that it is remembered of a store that it waits.
 */
export function reserve(
  current: Limit,
  settings: LimitSettings,
  request: ReserveRequest,
): { limit: Limit; decision: ReserveDecision; isHint: boolean } {
  const { permitId, now, until, heedsStop, yields = false } = request;
  const limit = alive(current, permitId, now);
  const refuse = (reason: Refused['reason'], retryAt: number, hint?: Limit) => ({
    limit: hint ?? limit,
    decision: { reserved: false, reason, retryAt } as const,
    isHint: hint !== undefined,
  });

  const { stop } = limit;
  if (heedsStop && stop !== undefined && stop.retryAt > now) return refuse('stopped', stop.retryAt);
  // Those that yield go behind everything else, whosever they are.
  const store = yields ? undefined : (request.storeClientId ?? NO_STORE);
  const distance = spacingMs(limit, settings, now);
  const isLast = yields && !isStarved(limit, now, distance);
  const spare = isLast && settings.requestsInFlight > 1 ? 1 : 0;
  const free = settings.requestsInFlight - spare - Object.keys(limit.permits).length;
  if (store === undefined && free <= 0) return refuse('in-flight', now);
  if (store !== undefined && (free <= 0 || leavesPermits(limit, settings, { store, free, now })))
    return refuse('in-flight', now, withWaiting(limit, settings, store, now));
  const slotBefore = Math.max(limit.nextSlotAt, limit.pausedUntil, now - CATCH_UP_MS);
  const slotAt = Math.max(slotBefore, now);
  if (slotAt > until) return refuse('paced', slotAt);
  const stepsAside = isLast || (store !== undefined && hasItsTurn(limit, store, now));
  const yieldsUntil = slotAt - Math.max(YIELDS_UNTIL * distance, YIELDS_UNTIL_MS);
  if (stepsAside && now < yieldsUntil) return refuse('yielded', yieldsUntil);

  const slotAfter = slotBefore + spacingMs(limit, settings, slotAt);
  const permits = { ...limit.permits, [permitId]: slotAt + settings.permitLifetimeMs };
  const yielding = yields ? { permitId, slotAt } : limit.yielding;
  const next = { ...limit, nextSlotAt: slotAfter, permits, ...(yielding && { yielding }) };
  const taken = permitId in current.permits ? next : counted(next, now);
  const reservation = { permitId, takenAt: now, slotAt, slotBefore, slotAfter };
  const served = store === undefined ? taken : withServed(taken, store, reservation);
  return {
    limit:
      heedsStop && stop !== undefined
        ? { ...served, stop: { ...stop, retryAt: now + settings.stopMs } }
        : served,
    decision: { reserved: true, reservation },
    isHint: false,
  };
}

/** Whether those that yield got nothing for long, and nothing of theirs is under way. */
function isStarved({ yielding, permits }: Limit, now: number, distance: number): boolean {
  if (yielding === undefined) return true;
  return !(yielding.permitId in permits) && now - yielding.slotAt >= OWN_SLOT_EVERY * distance;
}

/** Without the permits that have expired, and one that is to be taken anew. */
function alive(limit: Limit, but: string, now: number): Limit {
  const permits = Object.fromEntries(
    Object.entries(limit.permits).filter(([id, expiresAt]) => id !== but && expiresAt > now),
  );
  return { ...limit, permits, stores: storesAlive(limit.stores, permits, now) };
}

import type { Limit, LimitSettings, Reservation, StoreStanding } from '../model.ts';

/** Milliseconds for which a store counts as waiting after a permit was refused to it, unless it asks again. */
const WAITS_MS = 3_000;
/** Milliseconds after its last slot within which a store is expected back: it may be between two requests. */
const RECENT_MS = 1_000;
/** Stores that are remembered as waiting at most, so that the record stays small; further ones wait for a place. */
const MOST_WAITING = 10;
/** A request that takes so many milliseconds hangs, and the store's next ones probably will, for so many. */
const HANGS_AFTER_MS = 5_000;
const HANGS_FOR_MS = 60_000;

const UNKNOWN: StoreStanding = { permits: [], slotAt: 0, waitsUntil: 0, hangsUntil: 0 };

/** The stores of which something is to be known at `now`, each with those of its permits that are among `permits`. */
export function storesAlive(
  stores: Limit['stores'],
  permits: Limit['permits'],
  now: number,
): Limit['stores'] {
  const current = Object.entries(stores).map(
    ([name, store]) => [name, { ...store, permits: store.permits.filter((id) => id in permits) }] as const,
  );
  return Object.fromEntries(current.filter(([, store]) => isActive(store, now) || store.hangsUntil > now));
}

/**
 * Whether a store has to leave the permits that are free to others: it holds its share already, or they are due to
 * those that wait and were served longer ago, or its requests hang and the last one is for whoever else comes.
 *
 * @param free how many permits nobody holds
 */
export function leavesPermits(
  limit: Limit,
  settings: LimitSettings,
  { store, free, now }: { readonly store: string; readonly free: number; readonly now: number },
): boolean {
  const own = standingOf(limit, store);
  if (free === 1 && own.permits.length > 0 && own.hangsUntil > now) return true;
  const waiting = othersThan(limit, store).filter((other) => isWaiting(other, now));
  const share = shareOf(limit, settings, store, now);
  if (waiting.length > 0 && own.permits.length >= share) return true;
  const servedAt = mayWait(limit, store, now) ? own.slotAt : Number.POSITIVE_INFINITY;
  const before = waiting.filter(({ permits, slotAt }) => permits.length < share && slotAt < servedAt);
  return free <= before.length;
}

/** Whether a store has a slot ahead already while others may want one: slots go round among those who want them. */
export function hasItsTurn(limit: Limit, store: string, now: number): boolean {
  if (standingOf(limit, store).slotAt <= now) return false;
  return othersThan(limit, store).some((other) => isActive(other, now));
}

/** With a store among those that wait; `undefined` where it has its share, or there is nothing to be written. */
export function withWaiting(
  limit: Limit,
  settings: LimitSettings,
  store: string,
  now: number,
): Limit | undefined {
  const own = standingOf(limit, store);
  const isWritten = own.waitsUntil - now > WAITS_MS / 2;
  const hasShare = own.permits.length >= shareOf(limit, settings, store, now);
  if (isWritten || hasShare || !mayWait(limit, store, now)) return undefined;
  return withStanding(limit, store, { waitsUntil: now + WAITS_MS });
}

/** With a permit and a slot that a store got. */
export function withServed(limit: Limit, store: string, { permitId, slotAt }: Reservation): Limit {
  const permits = [...standingOf(limit, store).permits, permitId];
  return withStanding(limit, store, { permits, slotAt, waitsUntil: 0 });
}

/** With what the time that a request took tells of its store. */
export function withTimeTaken(limit: Limit, { permitId, slotAt }: Reservation, now: number): Limit {
  if (now - slotAt < HANGS_AFTER_MS) return limit;
  const [store] = Object.entries(limit.stores).find(([, { permits }]) => permits.includes(permitId)) ?? [];
  return store === undefined ? limit : withStanding(limit, store, { hangsUntil: now + HANGS_FOR_MS });
}

function standingOf({ stores }: Limit, store: string): StoreStanding {
  return stores[store] ?? UNKNOWN;
}

function withStanding(limit: Limit, store: string, standing: Partial<StoreStanding>): Limit {
  return { ...limit, stores: { ...limit.stores, [store]: { ...standingOf(limit, store), ...standing } } };
}

function othersThan({ stores }: Limit, store: string): StoreStanding[] {
  return Object.entries(stores).flatMap(([name, standing]) => (name === store ? [] : [standing]));
}

function isWaiting({ waitsUntil }: StoreStanding, now: number): boolean {
  return waitsUntil > now;
}

function isSharing(store: StoreStanding, now: number): boolean {
  return store.permits.length > 0 || isWaiting(store, now);
}

function isActive(store: StoreStanding, now: number): boolean {
  return isSharing(store, now) || store.slotAt + RECENT_MS > now;
}

/** Whether there is a place for a store among those that wait. */
function mayWait(limit: Limit, store: string, now: number): boolean {
  return othersThan(limit, store).filter((other) => isWaiting(other, now)).length < MOST_WAITING;
}

/** Permits for each of those who hold or want some, this store included; at least one. */
function shareOf(limit: Limit, { requestsInFlight }: LimitSettings, store: string, now: number): number {
  const others = othersThan(limit, store).filter((other) => isSharing(other, now));
  return Math.max(1, requestsInFlight / (others.length + 1));
}

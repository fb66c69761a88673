import type { GuardedPrices, Listing } from '../../listings/model.ts';
import type { GuardLimits, PriceGuard } from '../model.ts';
import { digestIn, digestOf, timeIn, writeMark } from './changed-mark.ts';

/** Targets that are told apart, those of the window before included: a mark of each fits the guard's item (400 KB). */
const MOST_TOLD_APART = 20_000;
/** Part of a window's length after which a target that changes again by too much is marked anew. */
const MARKED_FOR = 0.1;

type Prices = GuardedPrices['values'];

/** A listing's prices as they were when the window began at `startedAt`, as far as it is known. */
export function pricesAtStart(listing: Listing, startedAt: number): Prices {
  const { guardedPrices, desired } = listing;
  if (guardedPrices?.since === startedAt) return guardedPrices.values;
  const { price, specialPrice } = desired;
  return {
    ...(price === undefined ? {} : { price: price.value }),
    ...(specialPrice === undefined ? {} : { specialPrice: specialPrice.value }),
  };
}

/** A listing whose prices a change has replaced, with what they were when the window began at `startedAt`. */
export function withPricesAtStart(before: Listing | undefined, after: Listing, startedAt: number): Listing {
  const { desired } = after;
  const isSame =
    before?.desired.price === desired.price && before?.desired.specialPrice === desired.specialPrice;
  if (isSame || before?.guardedPrices?.since === startedAt) return after;
  const values = before === undefined ? {} : pricesAtStart(before, startedAt);
  return { ...after, guardedPrices: { since: startedAt, values } };
}

/** Whether the price, or what is asked for where a special price stands, changes by more than `maxChangePercent`. */
export function isLargeChange(before: Prices, after: Prices, maxChangePercent: number): boolean {
  return (
    isLarge(before.price, after.price, maxChangePercent) ||
    isLarge(before.specialPrice ?? before.price, after.specialPrice ?? after.price, maxChangePercent)
  );
}

/** A value that there was none of before does not change. */
function isLarge(before: Prices['price'], after: Prices['price'], maxChangePercent: number): boolean {
  if (typeof before !== 'number' || typeof after !== 'number') return false;
  return Math.abs(after - before) * 100 > maxChangePercent * before;
}

/** The guard with a window that runs at `now` (epoch ms); `undefined` where it has one, or needs none. */
export function withWindow(guard: PriceGuard, now: number): PriceGuard | undefined {
  const { limits, hold, window } = guard;
  if (limits === undefined || hold !== undefined) return undefined;
  if (window !== undefined && now - window.startedAt < limits.windowMinutes * 60_000) return undefined;
  // What changed shortly before counts until it is a window's length ago, whatever window it fell into.
  const carried = window === undefined ? [] : stillCounting(window.changed, limits, now);
  return { ...guard, window: { startedAt: now, changed: [], carried, changedBeyond: 0 } };
}

/** Those of the targets that the window has not counted, or not lately. `now` is epoch ms. */
export function notCounted(
  { limits, window }: PriceGuard,
  targets: readonly string[],
  now: number,
): string[] {
  const markedForMs = MARKED_FOR * (limits?.windowMinutes ?? 0) * 60_000;
  const marks = (window?.changed ?? []).filter((mark) => now - timeIn(mark) <= markedForMs);
  const counted = new Set(marks.map(digestIn));
  return targets.filter((target) => !counted.has(digestOf(target)));
}

function stillCounting(marks: readonly string[], { windowMinutes }: GuardLimits, now: number): string[] {
  return marks.filter((mark) => now - timeIn(mark) < windowMinutes * 60_000);
}

/**
 * Counts targets whose prices changed by too much into the window that began at `startedAt`, each once; holds the
 * store's prices when they are too many. `undefined` where nothing is new, or that window is over.
 */
export function countLargeChanges(
  guard: PriceGuard,
  { targets, knownListings, startedAt, now }: LargeChanges,
): PriceGuard | undefined {
  const { limits, hold, window } = guard;
  const fresh = notCounted(guard, targets, now);
  if (limits === undefined || hold !== undefined || window?.startedAt !== startedAt || fresh.length === 0)
    return undefined;
  const again = new Set(fresh.map(digestOf));
  const others = window.changed.filter((mark) => !again.has(digestIn(mark)));
  const carried = stillCounting(window.carried ?? [], limits, now);
  const room = Math.max(0, MOST_TOLD_APART - others.length - carried.length);
  const counted = {
    ...window,
    changed: [...others, ...fresh.slice(0, room).map((target) => writeMark(target, now))],
    carried,
    changedBeyond: window.changedBeyond + Math.max(0, fresh.length - room),
    knownListings: window.knownListings ?? knownListings,
  };
  const apart = new Set([...counted.changed, ...carried].map(digestIn));
  const changedListings = apart.size + counted.changedBeyond;
  if (changedListings * 100 <= limits.maxListingsPercent * counted.knownListings) {
    return { ...guard, window: counted };
  }
  const reason =
    `${changedListings} of ${counted.knownListings} listings changed their price by more than ` +
    `${limits.maxChangePercent} % within ${limits.windowMinutes} minutes`;
  const since = new Date(now).toISOString();
  const facts = { since, reason, changedListings, knownListings: counted.knownListings };
  const { window: _, ...held } = guard;
  return { ...held, hold: { ...facts, announced: false } };
}

/** What one intake has found. Times are epoch ms. */
export interface LargeChanges {
  readonly targets: readonly string[];
  /** How many listings the store has; counts where the window does not know it yet. */
  readonly knownListings: number;
  readonly startedAt: number;
  readonly now: number;
}

/** Lets the prices go, and counts anew. */
export function lifted({ hold: _, window: __, ...guard }: PriceGuard): PriceGuard {
  return guard;
}

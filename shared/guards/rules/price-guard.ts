import { createHash } from 'node:crypto';
import type { GuardedPrices, Listing } from '../../listings/model.ts';
import type { GuardLimits, PriceGuard } from '../model.ts';

/** Marks that one guard keeps at most: so many fit its item of DynamoDB (400 KB) twice. */
const MOST_MARKS = 10_000;
/** Part of a window's length after which a target that changes again by too much is marked anew. */
const MARKED_FOR = 0.1;
/** Characters of a target's digest in base64url: 6 bytes. */
const DIGEST_LENGTH = 8;

type Prices = GuardedPrices['values'];

/** The time in which prices are compared: what they were until `from` is of no use. Epoch ms. */
export interface GuardWindow {
  readonly from: number;
  readonly now: number;
}

/** The window of a guard at `now` (epoch ms); `undefined` where it counts nothing. */
export function windowOf({ limits, hold, liftedAt = 0 }: PriceGuard, now: number): GuardWindow | undefined {
  if (limits === undefined || hold !== undefined) return undefined;
  return { from: Math.max(now - windowMs(limits), liftedAt), now };
}

/** A listing's prices as they were before they first changed within the window. */
export function pricesBefore({ guardedPrices, desired }: Listing, { from }: GuardWindow): Prices {
  if (guardedPrices !== undefined && guardedPrices.since > from) return guardedPrices.values;
  const { price, specialPrice } = desired;
  return {
    ...(price === undefined ? {} : { price: price.value }),
    ...(specialPrice === undefined ? {} : { specialPrice: specialPrice.value }),
  };
}

/** A listing whose prices a change has replaced, with what they were before they first changed within the window. */
export function withPricesBefore(before: Listing | undefined, after: Listing, window: GuardWindow): Listing {
  const { price, specialPrice } = after.desired;
  if (before?.desired.price === price && before?.desired.specialPrice === specialPrice) return after;
  if ((before?.guardedPrices?.since ?? 0) > window.from) return after;
  const values = before === undefined ? {} : pricesBefore(before, window);
  return { ...after, guardedPrices: { since: window.now, values } };
}

/** Whether the price, or what is asked for where a special price stands, changes by more than `maxChangePercent`. */
export function isLargeChange(before: Prices, after: Prices, maxChangePercent: number): boolean {
  const isLarge = (from: Prices['price'], to: Prices['price']) =>
    // A value that there was none of before does not change.
    typeof from === 'number' && typeof to === 'number' && Math.abs(to - from) * 100 > maxChangePercent * from;
  return (
    isLarge(before.price, after.price) ||
    isLarge(before.specialPrice ?? before.price, after.specialPrice ?? after.price)
  );
}

/** Those of the targets that are not marked, or not lately. `now` is epoch ms. */
export function notMarked(
  { limits, changed = [] }: PriceGuard,
  targets: readonly string[],
  now: number,
): string[] {
  const markedFor = limits === undefined ? 0 : MARKED_FOR * windowMs(limits);
  const marked = new Set(changed.filter((mark) => now - timeIn(mark) <= markedFor).map(digestIn));
  return targets.filter((target) => !marked.has(digestOf(target)));
}

/**
 * Counts targets whose prices changed by too much, each once; holds the store's prices when they are too many. Of a large
 * store only every n-th target is marked, and counts n times. `undefined` where nothing is new, or nothing counts.
 *
 * @param known how many listings with a price the store has, as counted at `now` (epoch ms) or before
 */
export function countLargeChanges(
  guard: PriceGuard,
  targets: readonly string[],
  known: NonNullable<PriceGuard['known']>,
  now: number,
): PriceGuard | undefined {
  const { limits } = guard;
  const window = windowOf(guard, now);
  if (limits === undefined || window === undefined) return undefined;
  const allowed = (limits.maxListingsPercent * known.listings) / 100;
  const every = Math.max(1, Math.ceil(allowed / MOST_MARKS));
  const fresh = notMarked(guard, targets, now).filter((target) => numberOf(target) % every === 0);
  if (fresh.length === 0) return undefined;
  const again = new Set(fresh.map(digestOf));
  const others = (guard.changed ?? []).filter(
    (mark) => timeIn(mark) > window.from && !again.has(digestIn(mark)),
  );
  const changed = [...others, ...fresh.map((target) => markOf(target, now))];
  const changedListings = changed.length * every;
  if (changedListings <= allowed) return { ...guard, changed, known };
  const reason =
    `${changedListings} of ${known.listings} listings changed their price by more than ` +
    `${limits.maxChangePercent} % within ${limits.windowMinutes} minutes`;
  const facts = {
    since: new Date(now).toISOString(),
    reason,
    changedListings,
    knownListings: known.listings,
  };
  const { changed: _, ...held } = guard;
  return { ...held, known, hold: { ...facts, announced: false } };
}

/** How many listings the store has, where that was counted within the window. */
export function knownWithin({ known }: PriceGuard, { from }: GuardWindow): PriceGuard['known'] {
  return known !== undefined && known.at >= from ? known : undefined;
}

/** Releases the prices, and counts anew from `now` (epoch ms). */
export function lifted({ hold: _, changed: __, ...guard }: PriceGuard, now: number): PriceGuard {
  return { ...guard, liftedAt: now };
}

function windowMs({ windowMinutes }: GuardLimits): number {
  return windowMinutes * 60_000;
}

/** A target's digest, and the second in base 36. */
function markOf(target: string, at: number): string {
  return `${digestOf(target)}${Math.floor(at / 1000).toString(36)}`;
}

function digestOf(target: string): string {
  return createHash('sha256').update(target).digest('base64url').slice(0, DIGEST_LENGTH);
}

function numberOf(target: string): number {
  return Buffer.from(digestOf(target), 'base64url').readUIntBE(0, 6);
}

function digestIn(mark: string): string {
  return mark.slice(0, DIGEST_LENGTH);
}

/** Epoch ms. */
function timeIn(mark: string): number {
  return Number.parseInt(mark.slice(DIGEST_LENGTH), 36) * 1000;
}

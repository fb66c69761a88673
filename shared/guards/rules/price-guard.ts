import { createHash } from 'node:crypto';
import { z } from 'zod';
import { definedOf } from '../../collections/defined-of.ts';
import type { GuardedPrices, Listing } from '../../listings/model.ts';

/** When a store's price changes look like a mistake. */
export const guardLimitsSchema = z.object({
  /** Share of the store's listings with a price, in percent. */
  maxListingsPercent: z.number().min(0).max(100),
  /** By how much a price or special price may change within the window before it counts, in percent. */
  maxChangePercent: z.number().positive(),
  windowMinutes: z
    .number()
    .int()
    .positive()
    .max(7 * 24 * 60),
});

/** A store's prices are held back, and the raises behind them; never a zero. */
export const holdSchema = z.object({
  /** ISO 8601. */
  since: z.string(),
  reason: z.string(),
  changedListings: z.number().int(),
  knownListings: z.number().int(),
  /** Whether `prices.held` is known to be on the bus. */
  announced: z.boolean(),
});

/** The guard of one store against mass mistakes in prices; off without `limits`. */
export const priceGuardSchema = z.object({
  storeClientId: z.string().min(1),
  limits: guardLimitsSchema.optional(),
  /** When the price of a target changed by too much last, in epoch ms, by the target's digest. */
  marks: z.record(z.string(), z.number().int()).optional(),
  /** How many listings with a price the store has, as counted last. `at`: epoch ms. */
  known: z.object({ listings: z.number().int(), at: z.number().int() }).optional(),
  /** Epoch ms: when a hold was lifted last; what changed before counts no more. */
  liftedAt: z.number().int().optional(),
  hold: holdSchema.optional(),
});

export type GuardLimits = z.infer<typeof guardLimitsSchema>;
export type PriceGuard = z.infer<typeof priceGuardSchema>;

/** The hold of one store. */
export const heldPricesSchema = z.object({ storeClientId: z.string().min(1), hold: holdSchema });
export type HeldPrices = z.infer<typeof heldPricesSchema>;

/** Marks that one guard keeps at most: so many fit its item of DynamoDB (400 KB) twice. */
const MOST_MARKS = 10_000;
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
  return { from: Math.max(now - limits.windowMinutes * 60_000, liftedAt), now };
}

/** A listing's prices as they were before they first changed within the window. */
export function pricesBefore(listing: Listing, { from }: GuardWindow): Prices {
  const { guardedPrices } = listing;
  if (guardedPrices !== undefined && guardedPrices.since > from) return guardedPrices.values;
  return pricesOf(listing);
}

export function pricesOf({ desired: { price, specialPrice } }: Listing): Prices {
  return definedOf({ price: price?.value, specialPrice: specialPrice?.value });
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

/**
 * Counts targets whose prices changed by too much, each once; holds the store's prices when they are too many. Of a large
 * store only every n-th target is marked, and counts n times. `undefined` where nothing counts.
 *
 * @param known how many listings with a price the store has, as counted at `now` (epoch ms) or before
 */
export function countLargeChanges(
  guard: PriceGuard,
  targets: readonly string[],
  known: NonNullable<PriceGuard['known']>,
  now: number,
): PriceGuard | undefined {
  const { limits, marks: before = {} } = guard;
  const window = windowOf(guard, now);
  if (limits === undefined || window === undefined) return undefined;
  const allowed = (limits.maxListingsPercent * known.listings) / 100;
  const every = Math.max(1, Math.ceil(allowed / MOST_MARKS));
  const marked = targets.filter((target) => numberOf(target) % every === 0);
  const marks = Object.fromEntries([
    ...Object.entries(before).filter(([, at]) => at > window.from),
    ...marked.map((target) => [digestOf(target), now]),
  ]);
  const changedListings = Object.keys(marks).length * every;
  const knownListings = known.listings;
  if (changedListings <= allowed) return { ...guard, marks, known };
  const reason =
    `${changedListings} of ${knownListings} listings changed their price by more than ` +
    `${limits.maxChangePercent} % within ${limits.windowMinutes} minutes`;
  const since = new Date(now).toISOString();
  const hold = { since, reason, changedListings, knownListings, announced: false };
  const { marks: _, ...rest } = guard;
  return { ...rest, known, hold };
}

/** Releases the prices, and restarts the count at `now` (epoch ms). */
export function lifted({ hold: _, marks: __, ...guard }: PriceGuard, now: number): PriceGuard {
  return { ...guard, liftedAt: now };
}

function digestOf(target: string): string {
  return createHash('sha256').update(target).digest('base64url').slice(0, DIGEST_LENGTH);
}

function numberOf(target: string): number {
  return Buffer.from(digestOf(target), 'base64url').readUIntBE(0, 6);
}

import { createHash } from 'node:crypto';
import * as z from 'zod';
import { definedOf } from '../../collections/defined-of.ts';
import { isStorableNumber } from '../../collections/parse-json.ts';
import { type GuardedPrices, isReadAtMarketplace, type Listing } from '../../listings/model.ts';
import { isDiscarded } from '../../listings/rules/row.ts';
import { type EpochMs, epochMsSchema, isoTimeSchema } from '../../time/times.ts';

const MOST_PERCENT = 1_000_000;
/** DynamoDB can't store every number of JSON. */
const percent = z.number().max(MOST_PERCENT).refine(isStorableNumber, 'must not be so small');

/** Limits on large price changes. Exceeding `maxListingsPercent` within the window holds the store's prices. */
export const guardLimitsSchema = z.object({
  /** Percentage of the store's listings with a price. */
  maxListingsPercent: percent.min(0).max(100),
  /** Percentage by which a price or special price must change within the window to count as a large change. */
  maxChangePercent: percent.positive(),
  windowMinutes: z
    .number()
    .int()
    .positive()
    .max(7 * 24 * 60),
});

/** A hold of a store's prices, and of stock raises that wait for a price. Zero stock is never held. */
export const holdSchema = z.object({
  since: isoTimeSchema,
  reason: z.string(),
  changedListings: z.number().int(),
  knownListings: z.number().int(),
  /** Whether `prices.held` was published. */
  announced: z.boolean(),
});

/** A store's guard against mass mistakes in prices. Off without `limits`. */
export const priceGuardSchema = z.object({
  storeClientId: z.string().min(1),
  limits: guardLimitsSchema.optional(),
  /** The last large change of each target, in epoch ms, by the target's digest. */
  marks: z.record(z.string(), z.number().int()).optional(),
  /** The last count of the store's listings with a price. `at`: epoch ms. */
  known: z.object({ listings: z.number().int(), at: z.number().int() }).optional(),
  /** When held prices were last released, or the last discard of waiting values began. Earlier changes do not count. */
  liftedAt: epochMsSchema.optional(),
  hold: holdSchema.optional(),
});

export type GuardLimits = z.infer<typeof guardLimitsSchema>;
export type PriceGuard = z.infer<typeof priceGuardSchema>;

export const heldPricesSchema = z.object({ storeClientId: z.string().min(1), hold: holdSchema });
export type HeldPrices = z.infer<typeof heldPricesSchema>;

/** Most marks of one guard. They take half of a DynamoDB item (400 KB). */
const MOST_MARKS = 10_000;
/** Characters of a target's digest in base64url: 6 bytes. */
const DIGEST_LENGTH = 8;

type Prices = GuardedPrices['values'];

/** The time span in which changes count, in epoch ms. */
export interface GuardWindow {
  readonly from: number;
  readonly now: EpochMs;
}

/**
 * The window of a guard at `now` (epoch ms); `undefined` if the guard is off, or prices are held. While a discard of held prices runs
 * (from `liftedAt` on), changes count again: the discard may miss new ones.
 */
export function windowOf({ limits, hold, liftedAt = 0 }: PriceGuard, now: EpochMs): GuardWindow | undefined {
  const isHeld = hold !== undefined && Date.parse(hold.since) > liftedAt;
  if (limits === undefined || isHeld) return undefined;
  return { from: Math.max(now - limits.windowMinutes * 60_000, liftedAt), now };
}

/** A listing's prices before their first change within the window. */
export function pricesBefore(listing: Listing, { from }: GuardWindow): Prices {
  const { guardedPrices } = listing;
  if (guardedPrices !== undefined && guardedPrices.since > from) return guardedPrices.values;
  return pricesOf(listing);
}

/** The partner's newest prices. A discarded price is replaced by the price that was accepted before. */
export function pricesOf(listing: Listing): Prices {
  const newest = (name: 'price' | 'specialPrice') => {
    if (isDiscarded(listing, name)) return listing.settled[name]?.acceptedBefore?.value;
    const desired = listing.desired[name];
    return desired && !isReadAtMarketplace(desired) ? desired.value : undefined;
  };
  return definedOf({ price: newest('price'), specialPrice: newest('specialPrice') });
}

/** The changed listing, with the prices that it had before their first change within the window. */
export function withPricesBefore(before: Listing | undefined, after: Listing, window: GuardWindow): Listing {
  const { price, specialPrice } = after.desired;
  if (before?.desired.price === price && before?.desired.specialPrice === specialPrice) return after;
  if ((before?.guardedPrices?.since ?? 0) > window.from) return after;
  const values = before === undefined ? {} : pricesOf(before);
  // A first price is not compared: there is no price before it. The next price is compared with the first one.
  if (Object.keys(values).length === 0) return after;
  return { ...after, guardedPrices: { since: window.now, values } };
}

/** Whether the price, or the price in effect (the special price, if any), changes by more than `maxChangePercent`. */
export function isLargeChange(before: Prices, after: Prices, maxChangePercent: number): boolean {
  const isLarge = (from: Prices['price'], to: Prices['price']) =>
    // A new or removed value is not a change of price.
    typeof from === 'number' && typeof to === 'number' && Math.abs(to - from) * 100 > maxChangePercent * from;
  return (
    isLarge(before.price, after.price) ||
    isLarge(before.specialPrice ?? before.price, after.specialPrice ?? after.price)
  );
}

/**
 * Counts targets with large changes, each once. If the count exceeds the limit, holds the store's prices. For a large store only every
 * n-th target is marked, and counts n times. `undefined` if the guard is off, or prices are held.
 *
 * @param known count of the store's listings with a price, at `now` (epoch ms) or earlier
 */
export function countLargeChanges(
  guard: PriceGuard,
  targets: readonly string[],
  known: NonNullable<PriceGuard['known']>,
  now: EpochMs,
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

/**
 * Whether prices of the store are held. A hold lasts until a release, or the end of a discard. A lane checks it when it picks rows
 * (`lanes/use-cases/pick-request.ts`) and right before it sends them (`send-request.ts`).
 */
export function holdsPrices(guard: PriceGuard | undefined): guard is PriceGuard & Required<HeldPrices> {
  return guard?.hold !== undefined;
}

export function withoutHold({ hold: _, ...guard }: PriceGuard): PriceGuard {
  return guard;
}

function digestOf(target: string): string {
  return createHash('sha256').update(target).digest('base64url').slice(0, DIGEST_LENGTH);
}

function numberOf(target: string): number {
  return Buffer.from(digestOf(target), 'base64url').readUIntBE(0, 6);
}

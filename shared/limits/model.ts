import * as z from 'zod';
import type { EpochMs } from '../time/times.ts';
import { LONGEST_PAUSE_MS } from '../time/waits.ts';

/** Why lanes are stopped: the marketplace refuses the partner's credentials (AUTH_010, AUTH_011). */
const stopSchema = z.object({
  code: z.string(),
  message: z.string(),
  since: z.number(),
  /** When one lane may try the credentials again. */
  retryAt: z.number(),
});

/** One item of the Limits table: the shared limit of all functions, or a part of it. Times are epoch ms. */
export const limitSchema = z.object({
  limitId: z.string().min(1),
  /** The earliest time at which the next request may be sent. */
  nextSlotAt: z.number(),
  /** For each taken permit, by its ID: the time at which it expires. */
  permits: z.record(z.string(), z.number()),
  /** No request is sent earlier, because of a `Retry-After`, a 429 or a 503. */
  pausedUntil: z.number(),
  /** When the pace was last cut. */
  slowedAt: z.number(),
  /** Share of the allowed rate after that cut, up to 1. */
  pace: z.number(),
  stop: stopSchema.optional(),
  /** The store that last saw a 503, or a `Retry-After` without a 429. If another store sees one before `until`, all requests pause. */
  outage: z.object({ storeClientId: z.string(), until: z.number() }).optional(),
  /** All requests that the marketplace answered, and all that failed (`isFailure`). */
  succeeded: z.number().int().optional(),
  failed: z.number().int().optional(),
  succeededAt: z.number().optional(),
  failure: z
    .object({ at: z.number(), status: z.number().optional(), code: z.string().optional() })
    .optional(),
  /** The first failure after the last success. */
  failingSince: z.number().optional(),
  /** Both counts at the end of each of the last minutes, the newest last. */
  minutes: z
    .array(z.object({ at: z.number(), succeeded: z.number().int(), failed: z.number().int() }))
    .optional(),
  /** The marketplace asked for a wait until this time, longer than `LONGEST_PAUSE_MS`. One request a minute tests it. */
  heldUntil: z.number().optional(),
  /** The restored tables (the beginning of their names) from which requests are sent again. Only in the first item. */
  resumedTables: z.string().optional(),
  /** The `since` of the last `marketplace.failing`. Only in the first item. */
  failingReported: z.number().optional(),
});

export type Limit = z.infer<typeof limitSchema>;
export type Stop = z.infer<typeof stopSchema>;

/** The limits of the marketplace, for all functions together. */
export interface MarketplaceLimits {
  readonly requestsPerSecond: number;
  readonly requestsInFlight: number;
}

/** The limits, and times of permits and stops. */
export interface LimitSettings extends MarketplaceLimits {
  /** A permit expires this long after its request's time. If it was not given back by then, its function was killed. */
  readonly permitLifetimeMs: number;
  /** Time between two tries of the partner's credentials during a stop. */
  readonly stopMs: number;
  /** Restored tables, from which nothing is sent until `resumedTables` names them. Default: none. */
  readonly restoredTables?: string | undefined;
}

/** The marketplace's health is measured over this many last minutes. */
export const RECENT_MINUTES = 5;

/** Most requests per second of one item. Each request writes the item three times; a partition takes 1,000 write units a second. */
const RATE_OF_ITEM = 50;
/** Fewest permits of one item. */
const PERMITS_OF_ITEM = 10;

export function itemsOf({ requestsPerSecond, requestsInFlight }: MarketplaceLimits): number {
  const items = Math.min(requestsPerSecond / RATE_OF_ITEM, requestsInFlight / PERMITS_OF_ITEM);
  return Math.max(1, Math.ceil(items));
}

/** IDs of the items of a limit. The first is the limit's own ID. */
export function limitIdsOf(limitId: string, limits: MarketplaceLimits): readonly string[] {
  return Array.from({ length: itemsOf(limits) }, (_, index) =>
    index === 0 ? limitId : `${limitId}#${index}`,
  );
}

/** A limit before its first use. */
export function freshLimit(limitId: string): Limit {
  return { limitId, nextSlotAt: 0, permits: {}, pausedUntil: 0, slowedAt: 0, pace: 1 };
}

/** Whether the tables are restored tables, and nothing is sent from them yet. `first`: the limit's first item. */
export function isRestoring(
  first: Pick<Limit, 'resumedTables'> | undefined,
  restoredTables: string | undefined,
): boolean {
  return restoredTables !== undefined && first?.resumedTables !== restoredTables;
}

/**
 * Requests are sent at slightly longer intervals than the rate allows. The marketplace counts requests when they arrive, and a
 * delayed request arrives closer to the next one. A margin of 4 % uses 96 % of the rate and covers a delay of 40 ms in each second.
 */
const SPACING_MARGIN = 1.04;
/** Share of the full rate that is added in each second after a cut. */
const RECOVERY_PER_SECOND = 0.1;

/**
 * Time between two requests at `now`, in whole sixteenths of a millisecond. The table adds these as decimals; this process must get
 * exactly the same sum.
 */
export function spacingMs(limit: Limit, { requestsPerSecond }: LimitSettings, now: EpochMs): number {
  if ((limit.heldUntil ?? 0) > now) return LONGEST_PAUSE_MS;
  return Math.ceil((16_000 * SPACING_MARGIN) / (requestsPerSecond * paceAt(limit, now))) / 16;
}

/** Share of the allowed rate, 0.1 to 1. After a cut it rises evenly, so that not all requests come at once. */
export function paceAt({ pace, slowedAt, pausedUntil }: Limit, now: EpochMs): number {
  const calmMs = Math.max(0, now - Math.max(slowedAt, pausedUntil));
  return Math.min(1, pace + (RECOVERY_PER_SECOND * calmMs) / 1000);
}

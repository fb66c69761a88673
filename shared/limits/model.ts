import * as z from 'zod';
import type { EpochMs } from '../time/times.ts';
import { type Complaint, LONGEST_PAUSE_MS, pauseMs } from '../time/waits.ts';

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
  /** Time at which each taken permit expires, by its ID. */
  permits: z.record(z.string(), z.number()),
  /** No request is sent earlier, because of a `Retry-After`, a 429 or a 503. */
  pausedUntil: z.number(),
  /** Time of the last cut of the pace. */
  slowedAt: z.number(),
  /** Share of the allowed rate after that cut, up to 1. */
  pace: z.number(),
  stop: stopSchema.optional(),
  /** The store that last saw a 503 or a `Retry-After` other than a 429's. Another store's one before `until` is about all. */
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
  /** The marketplace asked to wait until then, for longer than `LONGEST_PAUSE_MS`: one request a minute asks whether it still holds. */
  heldUntil: z.number().optional(),
  /** The restored tables from which is sent again, by the beginning of their names. Only in the first item. */
  resumedTables: z.string().optional(),
  /** Since when the marketplace fails, as `marketplace.failing` said. Only in the first item. */
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
  /** Time after its time at which a permit expires. Its function was killed if it has not given it back by then. */
  readonly permitLifetimeMs: number;
  /** Time between two tries of the partner's credentials during a stop. */
  readonly stopMs: number;
  /** Nothing is sent before `resumedTables` names them too. Default: none. */
  readonly restoredTables?: string | undefined;
}

/** Minutes that count as the last ones, for the marketplace's health. */
export const RECENT_MINUTES = 5;

/** Most requests per second of one item. Each writes it three times; a partition takes 1,000 write units a second. */
const RATE_OF_ITEM = 50;
/** Fewest permits of one item. */
const PERMITS_OF_ITEM = 10;

/** Number of items of a limit. */
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

/** Whether the tables are restored ones from which nothing is sent yet. `first`: the limit's first item. */
export function isRestoring(
  first: Pick<Limit, 'resumedTables'> | undefined,
  restoredTables: string | undefined,
): boolean {
  return restoredTables !== undefined && first?.resumedTables !== restoredTables;
}

/** A condition of a change. */
export type LimitCondition =
  | readonly [
      field: 'nextSlotAt' | 'pausedUntil' | 'slowedAt' | 'stop.since' | 'stop.retryAt',
      comparison: '<' | '<=' | '=' | '>=',
      value: number,
    ]
  /** Compares the number of taken permits. */
  | readonly [field: 'permits', comparison: '<', value: number]
  | readonly [field: 'stop', comparison: 'absent'];

/** A change of the item. Only its conditions depend on the item. */
export interface LimitChange {
  /** All must hold. Default: none. */
  readonly where?: readonly LimitCondition[];
  /** `undefined` removes what is there. */
  readonly set?: { readonly [Field in keyof Omit<Limit, 'limitId' | 'permits'>]?: Limit[Field] | undefined };
  readonly add?: Partial<Record<'nextSlotAt' | 'succeeded' | 'failed', number>>;
  /** Times at which permits expire, by their IDs. `undefined` removes a permit, if it is there. */
  readonly permits?: Readonly<Record<string, number | undefined>>;
}

/** The Limits table. */
export interface LimitTable {
  /** Strongly consistent. */
  get(limitId: string): Promise<Limit | undefined>;
  /** Creates the item if it is missing. */
  create(limit: Limit): Promise<void>;
  /** Makes a change by one conditional write. Returns the item after it; `undefined` if a condition does not hold. */
  change(limitId: string, change: LimitChange): Promise<Limit | undefined>;
}

/**
 * Requests are sent at slightly longer intervals than the rate allows. The marketplace counts when they arrive, and a delayed
 * one arrives closer to the next. A margin of 4 % uses 96 % of the rate and covers a delay of 40 ms in each second.
 */
const SPACING_MARGIN = 1.04;
/** Factor of a cut of the pace. */
const CUT = 0.5;
const SLOWEST_PACE = 0.1;
/** Share of the full rate that is added in each second after a cut. */
const RECOVERY_PER_SECOND = 0.1;
/**
 * Time between two requests at `now`, in whole sixteenths: the table adds them as decimals, and a number of this process
 * has to equal the sum.
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

/**
 * The change after a complaint that concerns all: a pause, and half the pace. A complaint about a request that was sent before the
 * last cut does not cut again. The change fails if another complaint was written after `limit` was read.
 *
 * @param slotAt when the request was sent.
 */
export function slowedBy(limit: Limit, complaint: Complaint, slotAt: EpochMs, now: EpochMs): LimitChange {
  const pausedUntil = Math.max(limit.pausedUntil, now + pauseMs(complaint));
  const { retryAfterMs: asked } = complaint;
  const cut = { slowedAt: now, pace: Math.max(SLOWEST_PACE, paceAt(limit, now) * CUT) };
  const isQueueShorter = limit.nextSlotAt <= pausedUntil;
  return {
    where: [
      ['slowedAt', '=', limit.slowedAt],
      ['pausedUntil', '=', limit.pausedUntil],
      ['nextSlotAt', isQueueShorter ? '<=' : '>=', pausedUntil],
    ],
    set: {
      pausedUntil,
      ...(isQueueShorter && { nextSlotAt: pausedUntil }),
      ...(slotAt > limit.slowedAt && cut),
      ...(asked !== undefined && {
        heldUntil: asked > LONGEST_PAUSE_MS ? now + asked : undefined,
      }),
    },
  };
}

import { z } from 'zod';
import type { PermitOutcome } from '../marketplace/options.ts';

/** Why lanes are stopped: the marketplace refuses the partner's credentials (AUTH_010, AUTH_011). */
const stopSchema = z.object({
  code: z.string(),
  message: z.string(),
  /** Epoch ms. */
  since: z.number(),
  /** Epoch ms from which one lane may try whether the credentials are right again. */
  retryAt: z.number(),
});

/** The limit that all functions of a partner share, or a part of it: one item. Times are epoch ms. */
export const limitSchema = z.object({
  limitId: z.string().min(1),
  /** The earliest time at which the next request may be sent. */
  nextSlotAt: z.number(),
  /** When each permit that is out expires by itself, by its ID. */
  permits: z.record(z.string(), z.number()),
  /** Nothing leaves before: a `Retry-After`, or a pause of our own after a 429 or 503. */
  pausedUntil: z.number(),
  /** When the pace was cut last. */
  slowedAt: z.number(),
  /** Share of the allowed rate that was left then, up to 1. */
  pace: z.number(),
  stop: stopSchema.optional(),
  /** Permits that were ever taken, without those that were given back unused. */
  granted: z.number().int(),
  /** `granted` when it was last measured. */
  measured: z.object({ at: z.number(), granted: z.number().int() }).optional(),
});

export type Limit = z.infer<typeof limitSchema>;
export type Stop = z.infer<typeof stopSchema>;

/** What the marketplace allows, how long a permit may stay out, and how long a stop lasts. */
export interface LimitSettings {
  readonly requestsPerSecond: number;
  readonly requestsInFlight: number;
  /** A permit that is not given back expires this long after its slot: its function was killed. */
  readonly permitLifetimeMs: number;
  /** How long lanes wait while one tries whether the partner's credentials are right again. */
  readonly stopMs: number;
}

/** Requests per second for which one item is enough. Each writes it three times; a partition takes 1,000 write units a second. */
const RATE_OF_ITEM = 50;
/** Permits of an item at least. */
const PERMITS_OF_ITEM = 10;

/** The number of items that a limit is divided over. */
export function itemsOf({
  requestsPerSecond,
  requestsInFlight,
}: Pick<LimitSettings, 'requestsPerSecond' | 'requestsInFlight'>): number {
  const items = Math.min(requestsPerSecond / RATE_OF_ITEM, requestsInFlight / PERMITS_OF_ITEM);
  return Math.max(1, Math.ceil(items));
}

/** The IDs of the items that a limit is divided over: its own, and others where one is not enough. */
export function limitIdsOf(limitId: string, settings: Parameters<typeof itemsOf>[0]): readonly string[] {
  return Array.from({ length: itemsOf(settings) }, (_, index) =>
    index === 0 ? limitId : `${limitId}#${index}`,
  );
}

/** A limit before its first use. */
export function freshLimit(limitId: string): Limit {
  return { limitId, nextSlotAt: 0, permits: {}, pausedUntil: 0, slowedAt: 0, pace: 1, granted: 0 };
}

/** What must hold of the limit for a change to be made. */
export type LimitCondition =
  | readonly [
      field: 'nextSlotAt' | 'pausedUntil' | 'slowedAt' | 'stop.since' | 'stop.retryAt',
      comparison: '<' | '<=' | '=' | '>=',
      value: number,
    ]
  /** How many permits are out. */
  | readonly [field: 'permits', comparison: '<', value: number]
  | readonly [field: 'stop', comparison: 'absent'];

/** A change of the limit that depends on the current item only through its conditions. */
export interface LimitChange {
  /** All must hold. Default: none. */
  readonly where?: readonly LimitCondition[];
  readonly set?: Partial<Omit<Limit, 'limitId' | 'permits'>>;
  readonly add?: Partial<Record<'nextSlotAt' | 'granted', number>>;
  /** When each expires, by its ID. */
  readonly addPermits?: Readonly<Record<string, number>>;
  /** IDs; one that is not there does no harm. */
  readonly removePermits?: readonly string[];
  readonly removeStop?: boolean;
}

/** The Limits table. */
export interface LimitTable {
  /** Strongly consistent. */
  get(limitId: string): Promise<Limit | undefined>;
  /** Makes the limit where there is none. */
  create(limit: Limit): Promise<void>;
  /** Makes a change as one conditional write; the limit after it, `undefined` where a condition does not hold. */
  change(limitId: string, change: LimitChange): Promise<Limit | undefined>;
}

/**
 * Requests leave a little further from each other than the rate allows, because what counts is when they arrive: one that
 * is held up closes up to the next. 4 % uses 96 % of the rate and covers 40 ms at the end of a full second.
 */
const SPACING_MARGIN = 1.04;
/** What a cut leaves of the pace. */
const CUT = 0.5;
const SLOWEST_PACE = 0.1;
/** Share of the full rate that comes back with each second without a complaint. */
const RECOVERY_PER_SECOND = 0.1;
/** The pause after a complaint that asks for none itself. */
const OWN_PAUSE_MS = 1_000;
/** A longer `Retry-After` is looked at again after this long. */
const LONGEST_PAUSE_MS = 15 * 60_000;

/** Milliseconds between two requests at `now`. */
export function spacingMs(limit: Limit, { requestsPerSecond }: LimitSettings, now: number): number {
  return (1000 * SPACING_MARGIN) / (requestsPerSecond * paceAt(limit, now));
}

/** Share of the allowed rate, 0.1 to 1: after a cut it comes back evenly, so that no crowd rushes in. */
export function paceAt({ pace, slowedAt, pausedUntil }: Limit, now: number): number {
  const calmMs = Math.max(0, now - Math.max(slowedAt, pausedUntil));
  return Math.min(1, pace + (RECOVERY_PER_SECOND * calmMs) / 1000);
}

/** Whether an answer asks everyone to send less: a 429, a 503 or a `Retry-After`. */
export function isComplaint({ status, code, retryAfterMs }: PermitOutcome): boolean {
  return status === 429 || status === 503 || code === 'SYS_DEP_503' || retryAfterMs !== undefined;
}

/**
 * What a complaint does to everyone: a pause, and half the pace. Complaints about requests that had left before the last
 * cut do not cut again. The change holds only where no other complaint was written since `limit` was read.
 *
 * @param slotAt epoch ms at which the request left.
 */
export function slowedBy(
  limit: Limit,
  { retryAfterMs = OWN_PAUSE_MS }: PermitOutcome,
  slotAt: number,
  now: number,
): LimitChange {
  const pausedUntil = Math.max(limit.pausedUntil, now + Math.min(retryAfterMs, LONGEST_PAUSE_MS));
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
    },
  };
}

import { z } from 'zod';

/** Why lanes are stopped: the marketplace refuses the partner's credentials (AUTH_010, AUTH_011). */
const stopSchema = z.object({
  code: z.string(),
  message: z.string(),
  /** Epoch ms. */
  since: z.number(),
  /** Epoch ms from which one lane may try whether the credentials are right again. */
  retryAt: z.number(),
});

/** The limit that all functions of a partner share: one item, written by conditional updates. Times are epoch ms. */
export const limitSchema = z.object({
  limitId: z.string().min(1),
  /** The earliest time at which the next request may leave. */
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

/** A limit before its first use. */
export function freshLimit(limitId: string): Limit {
  return { limitId, nextSlotAt: 0, permits: {}, pausedUntil: 0, slowedAt: 0, pace: 1, granted: 0 };
}

import { z } from 'zod';

/** Why lanes are stopped: the marketplace refuses the partner's credentials (AUTH_010, AUTH_011). */
export const stopSchema = z.object({
  code: z.string(),
  message: z.string(),
  /** Epoch ms. */
  since: z.number(),
  /** Epoch ms from which one lane may try whether the credentials are right again. */
  retryAt: z.number(),
});

/** How a store stands with the limit; forgotten soon after nothing of it is out or waits. */
const standingSchema = z.object({
  /** IDs of its permits that are out. */
  permits: z.array(z.string()),
  /** The last slot that it got; 0: none that is remembered. */
  slotAt: z.number(),
  /** Until when it counts as one that waits for a permit: a hint that expires, as who left it may be dead. */
  waitsUntil: z.number(),
  /** Until when its requests are expected to take very long, as one did; 0: they are not. */
  hangsUntil: z.number(),
});

/** The limit that all functions of a partner share: one item, replaced by conditional writes. Times are epoch ms. */
export const limitSchema = z.object({
  limitId: z.string().min(1),
  /** The earliest time at which the next request may leave. */
  nextSlotAt: z.number(),
  /** When each permit that is out expires by itself, by its ID. */
  permits: z.record(z.string(), z.number()),
  /** How stores stand that use the limit at present, by their ID; records of earlier versions have none. */
  stores: z.record(z.string(), standingSchema).default({}),
  /** Nothing leaves before: a `Retry-After`, or a pause of our own after a 429 or 503. */
  pausedUntil: z.number(),
  /** When the pace was cut last. */
  slowedAt: z.number(),
  /** Share of the allowed rate that was left then, up to 1. */
  pace: z.number(),
  stop: stopSchema.optional(),
  /** The last request that got a slot although it lets others go first. */
  yielding: z.object({ permitId: z.string(), slotAt: z.number() }).optional(),
  /**
   * The minute (of the UNIX epoch) that `granted` counts the permits of, and the count of the minute before it; those
   * that were given back unused are not counted.
   */
  minute: z.number().int(),
  granted: z.number().int(),
  grantedBefore: z.number().int(),
});

export type Limit = z.infer<typeof limitSchema>;
export type StoreStanding = z.infer<typeof standingSchema>;

/** What the marketplace allows, how long a permit may stay out, and how long a stop lasts. */
export interface LimitSettings {
  readonly requestsPerSecond: number;
  readonly requestsInFlight: number;
  /** A permit that is not given back expires this long after its slot: its function was killed. */
  readonly permitLifetimeMs: number;
  /** How long lanes wait while one tries whether the partner's credentials are right again. */
  readonly stopMs: number;
}

/** A place in the row of requests: leave to send from `slotAt` (epoch ms) on. */
export interface Reservation {
  readonly permitId: string;
  /** Epoch ms at which it was taken. */
  readonly takenAt: number;
  readonly slotAt: number;
  /** Where the next slot stood before this one was taken, and after. */
  readonly slotBefore: number;
  readonly slotAfter: number;
}

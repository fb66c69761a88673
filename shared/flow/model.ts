import * as z from 'zod';
import { countSchema } from '../collections/counts.ts';
import { laneSchema } from '../lanes/model.ts';
import { isoTimeSchema } from '../time/times.ts';

/** The rate limiter that all functions of the partner share. */
export const limiterViewSchema = z.object({
  requestsPerSecond: z.number(),
  /** Share of the allowed rate that is used now: less than 1 after the marketplace asked for less. */
  pace: z.number(),
  /** Requests that may be in flight now. */
  permits: countSchema,
  /** All requests that were ever sent, without those in flight. */
  sent: countSchema,
  /** Nothing leaves before. */
  pausedUntil: isoTimeSchema.optional(),
  /** Why nothing leaves: the marketplace refuses the partner. */
  stopped: z.object({ code: z.string(), message: z.string(), since: isoTimeSchema }).optional(),
});

/** What waits for one store's lane, and whether it is worked on. */
export const laneViewSchema = z.object({
  storeClientId: z.string(),
  /** Listings that wait. */
  waiting: countSchema,
  /** Whether more wait than were counted. */
  hasMore: z.boolean(),
  /** Since when the oldest counted change waits. */
  oldestSince: isoTimeSchema.optional(),
  /** Whether a function holds the lane. */
  isHeld: z.boolean(),
  waitsFor: laneSchema.shape.waitsFor,
  /** Its requests that failed since one was answered. */
  tries: laneSchema.shape.tries,
});
export type LaneView = z.infer<typeof laneViewSchema>;
export type LimiterView = z.infer<typeof limiterViewSchema>;

import * as z from 'zod';
import { triesSchema } from '../attempts/model.ts';
import { countSchema } from '../collections/counts.ts';
import { epochMsSchema } from '../time/times.ts';

/** The prices and stock of one store on their way to the marketplace. One invocation at a time sends them: it has the lease. */
export const laneSchema = z.object({
  storeClientId: z.string().min(1),
  leaseId: z.string().optional(),
  leaseUntil: epochMsSchema.optional(),
  /** Counts the tickets that came while the lane had a lease. Its holder then looks again before it releases the lease. */
  dirty: countSchema,
  /**
   * The action of a person that the lane waited for when its last holder stopped: to connect the store, or to release its
   * prices.
   */
  waitsFor: z.enum(['connection', 'release']).optional(),
  /** Whether requests are sent one at a time, because the outcome of the last one is unknown. */
  oneAtATime: z.boolean().optional(),
  /** Most rows in a request: larger requests were refused as a whole, or their outcome is unknown. */
  rowsAtMost: z.number().int().positive().optional(),
  /**
   * Set while the rate limiter has no place for the lane, or a `Retry-After` asks it to wait: its next ticket comes at `until`.
   * `count`: pauses without a place so far; 0 after a `Retry-After`.
   */
  paused: z.object({ until: epochMsSchema, count: countSchema }).optional(),
  /** Its requests that failed since one was answered. */
  tries: triesSchema.optional(),
});

/** The message "look at this lane". It is a hint: it may be lost, repeated or late. */
export const ticketSchema = z.object({ storeClientId: z.string().min(1) });

export type Lane = z.infer<typeof laneSchema>;
/** The state of a lane that one holder stores for the next. */
export type LaneState = Pick<Lane, 'waitsFor' | 'oneAtATime' | 'rowsAtMost' | 'paused' | 'tries'>;
export type Ticket = z.infer<typeof ticketSchema>;

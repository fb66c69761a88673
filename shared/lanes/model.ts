import * as z from 'zod';
import { triesSchema } from '../attempts/model.ts';
import { countSchema } from '../collections/counts.ts';
import { epochMsSchema } from '../time/times.ts';

/** The record of a lane, which sends the prices and stock of one store. Only the invocation with the lease sends. */
export const laneSchema = z.object({
  storeClientId: z.string().min(1),
  leaseId: z.string().optional(),
  leaseUntil: epochMsSchema.optional(),
  /** Counts the tickets that came while the lane had a lease. After one, the holder looks again before it releases the lease. */
  dirty: countSchema,
  /**
   * The action of a person that the lane waited for when its last holder stopped: to connect the store, or to release its
   * prices.
   */
  waitsFor: z.enum(['connection', 'release']).optional(),
  /** Whether requests are sent one at a time, because the outcome of the last one is unknown. */
  oneAtATime: z.boolean().optional(),
  /** Most rows in a request. Set after larger requests were refused as a whole or had an unknown outcome. */
  rowsAtMost: z.number().int().positive().optional(),
  /**
   * Set while the rate limiter has no place for the lane, or a `Retry-After` asks the lane to wait. The next ticket comes at `until`.
   * `count`: how often in a row the lane got no place; 0 after a `Retry-After`.
   */
  paused: z.object({ until: epochMsSchema, count: countSchema }).optional(),
  /** Requests of the lane that failed since the last answer. */
  tries: triesSchema.optional(),
});

/** The message "look at this lane". It is a hint: it may be lost, repeated or late. */
export const ticketSchema = z.object({ storeClientId: z.string().min(1) });

export type Lane = z.infer<typeof laneSchema>;
/** The state of a lane that one holder stores for the next. */
export type LaneState = Pick<Lane, 'waitsFor' | 'oneAtATime' | 'rowsAtMost' | 'paused' | 'tries'>;
export type Ticket = z.infer<typeof ticketSchema>;

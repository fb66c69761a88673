import { z } from 'zod';

/** The path of one store's price and stock, held by one invocation at a time through its lease. */
export const laneSchema = z.object({
  storeClientId: z.string().min(1),
  leaseId: z.string().optional(),
  /** Epoch ms. */
  leaseUntil: z.number().int().optional(),
  /** Counts the tickets that found the lane held, so that its holder looks once more before it releases it. */
  dirty: z.number().int().nonnegative(),
  /**
   * What has to be done before all that waits can go, as the last holder found it: connect the store, or release its
   * prices.
   */
  waitsFor: z.enum(['connection', 'release']).optional(),
  /** Whether one request is sent at a time: the outcome of the last one is unknown. */
  oneAtATime: z.boolean().optional(),
  /** Rows in a request at most: larger ones were refused as a whole. */
  rowsAtMost: z.number().int().positive().optional(),
  /** Set while the lane gets no place for a request: its next ticket comes at `until` (epoch ms), after `count` others. */
  paused: z.object({ until: z.number().int(), count: z.number().int().positive() }).optional(),
});

/** "Look at this lane": never more than a hint, it may be lost, doubled or late. */
export const ticketSchema = z.object({ storeClientId: z.string().min(1) });

export type Lane = z.infer<typeof laneSchema>;
/** What one holder of a lane leaves to the next. */
export type LaneState = Pick<Lane, 'waitsFor' | 'oneAtATime' | 'rowsAtMost' | 'paused'>;
export type Ticket = z.infer<typeof ticketSchema>;

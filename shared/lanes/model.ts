import { z } from 'zod';

/** The path of one store's price and stock pushes, held by one invocation at a time through its lease. */
export const laneSchema = z.object({
  storeClientId: z.string().min(1),
  leaseId: z.string().optional(),
  /** Epoch ms. */
  leaseUntil: z.number().int().optional(),
  /** Counts the tickets that found the lane held, so that its holder looks once more before it lets go. */
  nudges: z.number().int().nonnegative(),
  /**
   * What somebody has to do before all that waits can go, as the last who looked found it: connect the store, or release
   * its prices.
   */
  awaits: z.enum(['connection', 'release']).optional(),
});

/** "Look at this lane": never more than a hint, it may be lost, doubled or late. */
export const ticketSchema = z.object({ storeClientId: z.string().min(1) });

export type Lane = z.infer<typeof laneSchema>;
export type Ticket = z.infer<typeof ticketSchema>;

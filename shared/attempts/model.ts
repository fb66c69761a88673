import * as z from 'zod';
import { isoTimeSchema } from '../time/times.ts';

/** One try of a request. */
export const requestAttemptSchema = z.object({
  /** When it was signed. */
  at: isoTimeSchema,
  /** Absent until its end is known, and if its sender was stopped. */
  outcome: z.enum(['accepted', 'refused', 'unknown', 'not sent']).optional(),
  status: z.number().optional(),
  code: z.string().optional(),
  message: z.string().optional(),
  /** The marketplace's, from an error answer. */
  requestId: z.string().optional(),
});

/** How often a request was tried that needed several tries, or what waits was tried so far. */
export const triesSchema = z.object({
  count: z.int().positive(),
  /** The last try that did not succeed. */
  lastFailed: requestAttemptSchema.optional(),
});

/** A request of stock or prices that ended with an error. It has no record of its own: its rows are chosen anew for the next. */
export const failedRequestSchema = requestAttemptSchema.extend({
  storeClientId: z.string(),
  kind: z.enum(['stock', 'price']),
  rows: z.int().positive(),
  /** The first of them. */
  targets: z.array(z.string()).readonly(),
});

export type Tries = z.infer<typeof triesSchema>;
export type RequestAttempt = z.infer<typeof requestAttemptSchema>;
export type FailedRequest = z.infer<typeof failedRequestSchema>;

/** The tries with one more, which failed. */
export function withFailedTry(tries: Tries | undefined, lastFailed: RequestAttempt): Tries {
  return { count: (tries?.count ?? 0) + 1, lastFailed };
}

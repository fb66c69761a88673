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

/** How often a request was tried that needed several tries. */
export const triesSchema = z.object({
  count: z.int().positive(),
  /** The last try that did not succeed. */
  lastFailed: requestAttemptSchema.omit({ requestId: true }).optional(),
});

export type Tries = z.infer<typeof triesSchema>;
export type RequestAttempt = z.infer<typeof requestAttemptSchema>;

import * as z from 'zod';
import { countSchema } from '../collections/counts.ts';
import { isoTimeSchema } from '../time/times.ts';

/**
 * - `healthy`: the marketplace answers. A single failure does not change it;
 * - `failing`: the marketplace does not answer, or answers that it can't work;
 * - `paused`: the marketplace asked all requests to wait;
 * - `refused`: the marketplace refuses the partner's credentials, or the credentials are not set;
 * - `idle`: no request was sent in the last minutes, or ever. The answer to the last request does not matter.
 */
export const healthStateSchema = z.enum(['healthy', 'failing', 'paused', 'refused', 'idle']);

/** Whether the marketplace answers, as all functions together see it. */
export const healthSchema = z.object({
  state: healthStateSchema,
  /** The state in one sentence. */
  text: z.string(),
  /** When the marketplace began to fail, to refuse the partner, or to ask for a wait. */
  since: isoTimeSchema.optional(),
  lastSuccessAt: isoTimeSchema.optional(),
  lastFailure: z
    .object({
      at: isoTimeSchema,
      /** Absent without an answer. */
      status: z.number().optional(),
      code: z.string().optional(),
    })
    .optional(),
  /** Number of requests in the last minutes, and how many of them failed. */
  recent: z.object({ minutes: countSchema, requests: countSchema, failed: countSchema }),
  /** No request is sent before this time. */
  pausedUntil: isoTimeSchema.optional(),
  /** The marketplace asked to wait until this time. One request a minute checks whether that is still so. */
  heldUntil: isoTimeSchema.optional(),
});
export type Health = z.infer<typeof healthSchema>;

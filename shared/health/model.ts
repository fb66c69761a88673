import * as z from 'zod';
import { countSchema } from '../collections/counts.ts';
import { isoTimeSchema } from '../time/times.ts';

/**
 * - `healthy`: the marketplace answers. A single failure does not change it;
 * - `failing`: it does not answer, or answers that it can't;
 * - `paused`: it asked all requests to wait;
 * - `refused`: it refuses the partner's credentials, or they are not set;
 * - `idle`: no request was sent in the last minutes, whether the last one was answered or not. Without a first request too.
 */
export const healthStateSchema = z.enum(['healthy', 'failing', 'paused', 'refused', 'idle']);

/** Whether the marketplace answers, as all functions together see it. */
export const healthSchema = z.object({
  state: healthStateSchema,
  /** The state in one sentence. */
  text: z.string(),
  /** Since when it fails, refuses the partner, or has asked to wait. */
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
  /** Requests of the last minutes, and those among them that failed. */
  recent: z.object({ minutes: countSchema, requests: countSchema, failed: countSchema }),
  /** Until then no request is sent. */
  pausedUntil: isoTimeSchema.optional(),
  /** Until then the marketplace asked to wait; one request a minute asks whether that still holds. */
  heldUntil: isoTimeSchema.optional(),
});
export type Health = z.infer<typeof healthSchema>;

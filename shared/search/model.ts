import * as z from 'zod';
import { isoTimeSchema } from '../time/times.ts';

const hitKindSchema = z.enum([
  'product',
  'order',
  'event',
  'command',
  'batch',
  'request',
  'rejection',
  'file',
  'store',
]);

/** One thing that a word names. */
export const hitSchema = z.object({
  kind: hitKindSchema,
  /** Name or ID of the thing. */
  id: z.string(),
  storeClientId: z.string().optional(),
  /** What the thing is, in a few words. */
  what: z.string(),
  /** Time of the last known fact about the thing. */
  at: isoTimeSchema.optional(),
  /** Path of the route that shows the thing. */
  path: z.string(),
  /** Query of `GET /trace`. Absent if the thing has no trace. */
  trace: z.record(z.string(), z.string()).optional(),
});
export type Hit = z.infer<typeof hitSchema>;

export const searchSchema = z.object({
  word: z.string(),
  hits: z.array(hitSchema),
  /** Whether hits were left out: products whose SKU begins with the word, or earlier files of this name. */
  hasMore: z.boolean(),
  /** Present if the word names nothing: what that means, and where the word may be. */
  message: z.string().optional(),
});
export type Search = z.infer<typeof searchSchema>;

/** The longest ID that a record has; a target may be longer. */
export const LONGEST_ID = 200;

/** A hit that only its trace shows. */
export function traced(hit: Omit<Hit, 'path'> & Required<Pick<Hit, 'trace'>>): Hit {
  return { ...hit, path: `/trace?${new URLSearchParams(hit.trace)}` };
}

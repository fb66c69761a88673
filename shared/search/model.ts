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
  /** Its name or ID. */
  id: z.string(),
  storeClientId: z.string().optional(),
  /** What it is, in a few words. */
  what: z.string(),
  /** The last that is known of it. */
  at: isoTimeSchema.optional(),
  /** The route that shows it. */
  path: z.string(),
  /** Query of `GET /trace`, for what has a trace. */
  trace: z.record(z.string(), z.string()).optional(),
});
export type Hit = z.infer<typeof hitSchema>;

export const searchSchema = z.object({
  word: z.string(),
  hits: z.array(hitSchema),
  /** Whether products whose SKU begins with the word were left out, or earlier files of this name. */
  hasMore: z.boolean(),
  /** Of a word that names nothing: what that means, and where it may be. */
  message: z.string().optional(),
});
export type Search = z.infer<typeof searchSchema>;

/** The longest ID that a record has; a target may be longer. */
export const LONGEST_ID = 200;

/** What only its trace shows. */
export function traced(hit: Omit<Hit, 'path'> & Required<Pick<Hit, 'trace'>>): Hit {
  return { ...hit, path: `/trace?${new URLSearchParams(hit.trace)}` };
}

import * as z from 'zod';
import { isoTimeSchema } from '../time/times.ts';

export const attentionKindSchema = z.enum([
  'partner-refused',
  'store-suspended',
  'prices-held',
  'listing-contested',
  'import-held',
  'order-unknown',
  'batch-unresolved',
  'dead-letters',
  'summary-unmatched',
]);
export type AttentionKind = z.infer<typeof attentionKindSchema>;

/** One thing that waits for a person. */
export const attentionSchema = z.object({
  kind: attentionKindSchema,
  /** Absent for dead letters, and for a summary that names no store. */
  storeClientId: z.string().optional(),
  since: isoTimeSchema,
  why: z.string(),
  /** The call that ends it: method, path and body of a request to the HTTP API, or a command of the AWS CLI. */
  call: z.string(),
});
export type Attention = z.infer<typeof attentionSchema>;

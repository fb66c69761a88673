import * as z from 'zod';
import { isoTimeSchema } from '../time/times.ts';

/** What waits for a person, the most harmful first. */
export const attentionKindSchema = z.enum([
  'partner-refused',
  'tables-restored',
  'store-suspended',
  'order-unknown',
  'dead-letters',
  'prices-held',
  'batch-unresolved',
  'import-held',
  'import-failed',
  'listing-contested',
  'store-unbound',
  'summary-unmatched',
]);
export type AttentionKind = z.infer<typeof attentionKindSchema>;

/** `critical`: work stops or an order may be lost. `warning`: values are late or uncertain. `notice`: nothing is delayed. */
const severitySchema = z.enum(['critical', 'warning', 'notice']);
export type Severity = z.infer<typeof severitySchema>;

export const SEVERITY_OF: Readonly<Record<AttentionKind, Severity>> = {
  'partner-refused': 'critical',
  'tables-restored': 'critical',
  'store-suspended': 'critical',
  'order-unknown': 'critical',
  'dead-letters': 'critical',
  'prices-held': 'warning',
  'batch-unresolved': 'warning',
  'import-held': 'warning',
  'import-failed': 'warning',
  'listing-contested': 'warning',
  'store-unbound': 'warning',
  'summary-unmatched': 'notice',
};

const remedyNameSchema = z.enum([
  'put-secret',
  'end-restore',
  'onboard',
  'rotate-token',
  'resume',
  /** An unknown order is also resolved as accepted or rejected, or tried again. */
  'retry',
  'redrive',
  'delete',
  'put-again',
  'release',
  'discard',
  'read-back',
  'resolve-accepted',
  'resolve-rejected',
  'repair',
]);

/** One way to end what waits for a person. */
const remedySchema = z.object({
  name: remedyNameSchema,
  /** What the remedy does, in a few words. */
  text: z.string(),
  /** Method, path and body of a request to the HTTP API, or a command of the AWS CLI. `…` stands for what only you know. */
  call: z.string(),
});
export type Remedy = z.infer<typeof remedySchema>;

/** One thing that waits for a person. */
export const attentionSchema = z.object({
  kind: attentionKindSchema,
  severity: severitySchema,
  /** Absent for dead letters, and for a summary that names no store. */
  storeClientId: z.string().optional(),
  since: isoTimeSchema,
  why: z.string(),
  /** The first remedy's call that needs nothing more; `remedies` has all. */
  call: z.string(),
  /** What to look at before one of the remedies is chosen. */
  lookAt: z.string().optional(),
  /** The ways to end it. With `lookAt` the order has no meaning; otherwise the usual way comes first. */
  remedies: z.array(remedySchema).min(1),
});
export type Attention = z.infer<typeof attentionSchema>;

/** Entries that are alike: of one kind with the same remedies, and of one store where a store can have several. */
export const attentionGroupSchema = attentionSchema
  .pick({ kind: true, severity: true, storeClientId: true, lookAt: true })
  .extend({
    count: z.int().positive(),
    /** Whether there are more entries than were read. */
    hasMore: z.boolean(),
    /** ISO 8601. `since` of the oldest entry. */
    since: isoTimeSchema,
    /** The reasons of the first entries, the oldest first. */
    why: z.array(z.string()),
    /** The remedies, each with a call for every entry. */
    remedies: z.array(remedySchema.omit({ call: true }).extend({ calls: z.array(z.string()) })),
  });
export type AttentionGroup = z.infer<typeof attentionGroupSchema>;

/** Everything that waits for a person, and what was read to find it. */
export const attentionListSchema = z.object({
  /** The most harmful first; of one kind, the oldest first. */
  attention: z.array(attentionSchema),
  /** The same entries, grouped. */
  groups: z.array(attentionGroupSchema),
  /** Kinds with further entries. */
  more: z.array(attentionKindSchema),
  checked: z.object({
    /** ISO 8601. When the list was read. */
    at: z.string(),
    stores: z.int().nonnegative(),
    deadLetterQueues: z.int().nonnegative(),
    /** What was read, in one sentence. */
    text: z.string(),
  }),
});
export type AttentionList = z.infer<typeof attentionListSchema>;

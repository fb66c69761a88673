import { createHash } from 'node:crypto';
import { z } from 'zod';
import {
  batchKindSchema,
  batchSummarySchema,
  rejectedRowSchema,
  rowCommandSchema,
  rowCountsSchema,
  rowNamesSchema,
  terminalBatchStateSchema,
} from '../events/outgoing.ts';

/** The kinds whose rows are products to create. */
export const CREATION_KINDS: ReadonlySet<BatchKind | undefined> = new Set([
  'catalog-sync',
  'catalog-variants-sync',
  'product-create',
  'product-create-variants',
]);

/**
 * `unmatched`: a final summary whose batch is not known yet; `matched`: what is left of it when its batch has appeared
 * under another ID; `discarded`: what is left of it when an operator has discarded it.
 */
export const batchStateSchema = z.enum([
  'submitted',
  'unmatched',
  'matched',
  'discarded',
  ...terminalBatchStateSchema.options,
]);

/** A row whose outcome is not known. */
const unknownRowSchema = rowNamesSchema.extend({
  rowIndex: z.number().int().nonnegative(),
  command: rowCommandSchema.optional(),
});

/** What the answer to an ASYNC call began. */
export const submissionSchema = z.object({
  batchId: z.string().min(1),
  requestId: z.string().optional(),
  kind: batchKindSchema,
  storeClientId: z.string().min(1),
  attemptId: z.string(),
  /** Absent where the rows are of several commands. */
  commandId: z.string().optional(),
  /** Row by row, only where they are of several commands. */
  origins: z.array(rowCommandSchema).optional(),
  /** ISO 8601. */
  submittedAt: z.string(),
  /** ISO 8601: when an open batch is taken up by the sweeper. */
  deadlineAt: z.string(),
  sentRows: z.number().int().nonnegative(),
  /** What the rows are named by, row by row; where it is absent, a summary can name them by their number alone. */
  names: z.array(rowNamesSchema).optional(),
  /** Where the row is not known there is no `rowIndex`. */
  rejectedRows: z.array(rejectedRowSchema),
  /** Numbers of the rows that the answer did not settle. Default: none. */
  unknownRows: z.array(z.number().int().nonnegative()).optional(),
  /** `answer`: the answer is final, pending rows count as accepted. `summary`: a final summary follows by webhook. */
  endsBy: z.enum(['answer', 'summary']),
  /**
   * Whether an earlier try of the same rows may have had an effect: what exists already then counts as accepted, and
   * what is refused for now is unknown, also where the answer is final.
   */
  uncertain: z.boolean().optional(),
  /** Key in the archive bucket of the rows that were sent, for those that fail to be given back to the partner. */
  requestKey: z.string().optional(),
  /** The batch whose failed rows this one tries again. */
  retryOf: z.string().optional(),
});

/** What the final summary said. */
export const finalSummarySchema = z.object({
  requestId: z.string().optional(),
  storeClientId: z.string().optional(),
  /** ISO 8601. */
  receivedAt: z.string(),
  summary: batchSummarySchema,
  rejectedRows: z.array(rejectedRowSchema),
  /** Rows that it names as accepted: by number, or else by name. */
  acceptedRows: z.array(rowNamesSchema.extend({ rowIndex: z.number().int().optional() })).optional(),
  /** Key of the raw body in the archive bucket. */
  archiveKey: z.string().optional(),
});

/** A further final summary that says something else than the end of its batch, which stays as it is. */
const contradictionSchema = finalSummarySchema.omit({ acceptedRows: true }).extend({
  /** Digest of the whole summary, to recognise it: only its first rejected rows are kept here. */
  digest: z.string(),
  /** Whether `summary.contradicted` is known to be on the bus. */
  isReported: z.boolean(),
});

/** What reading back found of a batch past its deadline, or what an operator said of it. */
export const resolutionSchema = z.object({
  /** ISO 8601. */
  resolvedAt: z.string(),
  /** Absent where the rows were read back. */
  by: z.literal('operator').optional(),
  /** Rows that were known to be rejected, and those whose product is not at the marketplace. */
  rejectedRows: z.array(rejectedRowSchema),
  /** Rows that could not be read back; with any of them the batch is `unresolved`. */
  unknownRows: z.array(unknownRowSchema),
});

/** A batch as the Batches table keeps it, whichever came first of its submission and its final summary. */
export const batchRecordSchema = z.object({
  batchId: z.string().min(1),
  requestId: z.string().optional(),
  state: batchStateSchema,
  kind: batchKindSchema.optional(),
  storeClientId: z.string().optional(),
  attemptId: z.string().optional(),
  /** Absent where its rows are of several commands. */
  commandId: z.string().optional(),
  /** The commands whose rows it has, where there are several. */
  commandIds: z.array(z.string()).optional(),
  /** ISO 8601; of an unmatched summary: when it was received. */
  submittedAt: z.string(),
  deadlineAt: z.string().optional(),
  completedAt: z.string().optional(),
  summary: batchSummarySchema,
  rows: rowCountsSchema,
  rejectedRows: z.array(rejectedRowSchema),
  /** Rows that the answer called pending and nothing has confirmed yet. */
  unconfirmedRows: z.number().int().nonnegative(),
  /** Rows whose outcome is not known: kept where the batch is `unresolved`, shown of an open one as well. */
  unknownRows: z.array(unknownRowSchema).optional(),
  retryOf: z.string().optional(),
  /** ISO 8601: when its rows were first read back, and some could not be. */
  lookedAt: z.string().optional(),
  /** Commands that were given to try failed rows of this batch again. */
  retries: z.array(z.string()).optional(),
  /** Of a `matched` record: the batch that has its final summary. */
  matchedTo: z.string().optional(),
  submission: submissionSchema.optional(),
  finalSummary: finalSummarySchema.optional(),
  resolution: resolutionSchema.optional(),
  /** Further final summaries that say something else than how the batch ended; the first few. */
  contradictions: z.array(contradictionSchema).optional(),
  /** Which events about this batch are known to be on the bus. */
  announced: z.array(z.enum(['batch.submitted', 'batch.completed', 'batch.unresolved'])),
});

/** A batch in a list. If a batch has many failed rows, only the batch itself has them, not the list. */
export const listedBatchSchema = batchRecordSchema.partial({ rejectedRows: true });

export type BatchKind = z.infer<typeof batchKindSchema>;
export type BatchState = z.infer<typeof batchStateSchema>;
export type RejectedRow = z.infer<typeof rejectedRowSchema>;
export type Submission = z.infer<typeof submissionSchema>;
export type FinalSummary = z.infer<typeof finalSummarySchema>;
export type Contradiction = z.infer<typeof contradictionSchema>;
export type Resolution = z.infer<typeof resolutionSchema>;
export type BatchRecord = z.infer<typeof batchRecordSchema>;
export type ListedBatch = z.infer<typeof listedBatchSchema>;

/** Message of the summaries queue: where a verified webhook's body lies. */
export const receivedSummarySchema = z.object({
  /** Key of the raw body in the archive bucket. */
  archiveKey: z.string().min(1),
  /** ISO 8601. */
  receivedAt: z.string(),
});
export type ReceivedSummary = z.infer<typeof receivedSummarySchema>;

/** Field of a given-back row that says why it failed; an import leaves it out. */
export const REJECTION_FIELD = '_rejection';

/**
 * Key in the archive bucket of the rows that a step of a command sends: the same at every try. `step` is the key of the
 * step, `startedAt` (ISO 8601) when it was begun for the first time.
 */
export function requestKeyOf(step: string, startedAt: string): string {
  const name = createHash('sha256').update(step).digest('hex');
  return `requests/${startedAt.slice(0, 10)}/${name}.json`;
}

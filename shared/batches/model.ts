import * as z from 'zod';
import { triesSchema } from '../attempts/model.ts';
import {
  batchKindSchema,
  batchSummarySchema,
  rejectedRowSchema,
  rowCommandSchema,
  rowCountsSchema,
  rowNamesSchema,
  terminalBatchStateSchema,
} from '../events/outgoing.ts';
import { epochMsSchema, isoTimeSchema } from '../time/times.ts';

const CREATIONS = {
  'catalog-sync': { detailType: 'catalog.sync.requested', hasVariants: false },
  'catalog-variants-sync': { detailType: 'catalog.sync.requested', hasVariants: true },
  'product-create': { detailType: 'product.create.requested', hasVariants: false },
  'product-create-variants': { detailType: 'product.create.requested', hasVariants: true },
} as const;

/** The command of a batch that creates products, and whether they have variants; `undefined` for other kinds of batch. */
export function creationOf(kind: BatchKind | undefined) {
  return kind !== undefined && kind in CREATIONS ? CREATIONS[kind as keyof typeof CREATIONS] : undefined;
}

/**
 * Three states are for a final summary without a batch. `unmatched`: the batch is not known yet. `matched`: the batch
 * appeared under another ID. `discarded`: an operator discarded the summary.
 */
export const batchStateSchema = z.enum([
  'submitted',
  'unmatched',
  'matched',
  'discarded',
  ...terminalBatchStateSchema.options,
]);

const unknownRowSchema = rowNamesSchema.extend({
  rowIndex: z.number().int().nonnegative(),
  command: rowCommandSchema.optional(),
});

/** A batch as the answer to its ASYNC request describes it. */
export const submissionSchema = z.object({
  batchId: z.string().min(1),
  requestId: z.string().optional(),
  /** The marketplace's IDs of earlier tries, from error answers that left their outcome unknown. */
  triedRequestIds: z.array(z.string()).optional(),
  kind: batchKindSchema,
  storeClientId: z.string().min(1),
  attemptId: z.string(),
  /** Absent if the rows belong to several commands. */
  commandId: z.string().optional(),
  /** The command of each row; present only if the rows belong to several commands. */
  origins: z.array(rowCommandSchema).optional(),
  submittedAt: isoTimeSchema,
  /** When the last try of its request was signed. */
  signedAt: epochMsSchema.optional(),
  /** When the sweeper reads an open batch back. */
  deadlineAt: isoTimeSchema,
  sentRows: z.number().int().nonnegative(),
  /** Names of each row. Without them a summary can identify rows by `rowIndex` only. */
  names: z.array(rowNamesSchema).optional(),
  /** An error that identifies no row has no `rowIndex`. */
  rejectedRows: z.array(rejectedRowSchema),
  /** `rowIndex` of each row that the answer did not settle. Default: none. */
  unknownRows: z.array(z.number().int().nonnegative()).optional(),
  /** `answer`: the answer is final, pending rows count as accepted. `summary`: a final summary follows by webhook. */
  endsBy: z.enum(['answer', 'summary']),
  /**
   * Whether an earlier try of the same rows may have had an effect. If so, a row whose product exists already counts as
   * accepted, and a row with a retryable error is unknown, even if the answer is final.
   */
  uncertain: z.boolean().optional(),
  /** Present only if the request needed several tries. */
  tries: triesSchema.optional(),
  /** Key of the sent rows in the archive bucket: failed rows are returned to the partner from there. */
  requestKey: z.string().optional(),
  /** The batch whose failed rows this one retries. */
  retryOf: z.string().optional(),
});

export const finalSummarySchema = z.object({
  requestId: z.string().optional(),
  storeClientId: z.string().optional(),
  receivedAt: isoTimeSchema,
  summary: batchSummarySchema,
  rejectedRows: z.array(rejectedRowSchema),
  /** Accepted rows, by `rowIndex` or else by name. */
  acceptedRows: z.array(rowNamesSchema.extend({ rowIndex: z.number().int().optional() })).optional(),
  /** Key of the raw body in the archive bucket, for a large summary. */
  archiveKey: z.string().optional(),
});

/** A final summary that contradicts how its batch ended, or names another store. The batch does not change. */
const contradictionSchema = finalSummarySchema.omit({ acceptedRows: true }).extend({
  /** Digest of the whole summary, to recognise a redelivery. Needed because only the first rejected rows are kept. */
  digest: z.string(),
  isReported: z.boolean(),
});

/** Outcome of the unknown rows of a batch, by read-back or by an operator. */
export const resolutionSchema = z.object({
  resolvedAt: isoTimeSchema,
  /** Absent if the rows were read back. */
  by: z.literal('operator').optional(),
  /** Rows that were rejected before, and rows whose effect is missing at the marketplace. */
  rejectedRows: z.array(rejectedRowSchema),
  /** Rows that could not be read back. Any of them makes the batch `unresolved`. */
  unknownRows: z.array(unknownRowSchema),
});

/** A record of the Batches table. Its submission and its final summary may come in any order. */
export const batchRecordSchema = z.object({
  batchId: z.string().min(1),
  requestId: z.string().optional(),
  state: batchStateSchema,
  kind: batchKindSchema.optional(),
  storeClientId: z.string().optional(),
  attemptId: z.string().optional(),
  /** Absent if the rows belong to several commands. */
  commandId: z.string().optional(),
  /** Present only if the rows belong to several commands. */
  commandIds: z.array(z.string()).optional(),
  /** For an unmatched summary: when it was received. */
  submittedAt: isoTimeSchema,
  deadlineAt: isoTimeSchema.optional(),
  completedAt: isoTimeSchema.optional(),
  summary: batchSummarySchema,
  rows: rowCountsSchema,
  rejectedRows: z.array(rejectedRowSchema),
  /** Accepted rows that only the answer settled: no summary has confirmed them. */
  unconfirmedRows: z.number().int().nonnegative(),
  /** Rows of unknown outcome. Stored for an `unresolved` batch, computed for an open one. */
  unknownRows: z.array(unknownRowSchema).optional(),
  retryOf: z.string().optional(),
  /** Present only if the request needed several tries. */
  tries: triesSchema.optional(),
  /** When a read-back left rows unknown for the first time. */
  lookedAt: isoTimeSchema.optional(),
  /** Commands that retry failed rows of this batch. */
  retries: z.array(z.string()).optional(),
  /** For a `matched` record: the batch that has its final summary. */
  matchedTo: z.string().optional(),
  submission: submissionSchema.optional(),
  finalSummary: finalSummarySchema.optional(),
  resolution: resolutionSchema.optional(),
  /** The first 10 final summaries that contradict how the batch ended, or name another store. */
  contradictions: z.array(contradictionSchema).optional(),
  announced: z.array(z.enum(['batch.submitted', 'batch.completed', 'batch.unresolved'])),
});

/** A batch in a list. If it has very many failed rows, they are left out. */
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

/** Message of the summaries queue: one verified webhook, with its body or the key of the archived body. */
export const receivedSummarySchema = z.union([
  z.object({
    body: z.string(),
    receivedAt: isoTimeSchema,
  }),
  z.object({
    /** Key of the raw body in the archive bucket. */
    archiveKey: z.string().min(1),
    receivedAt: isoTimeSchema,
  }),
]);
export type ReceivedSummary = z.infer<typeof receivedSummarySchema>;

/** Field that a returned row gets, with the reason of its failure. An import ignores this field. */
export const REJECTION_FIELD = '_rejection';

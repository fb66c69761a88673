import { z } from 'zod';
import { attemptRowSchema } from '../attempts/model.ts';

/**
 * The ASYNC calls of the spec's §4 that answer with a batch; and updates and deletions of products, which are answered
 * at once, and have a record only when no answer came.
 */
export const batchKindSchema = z.enum([
  'catalog-sync',
  'catalog-variants-sync',
  'product-create',
  'product-create-variants',
  'price',
  'stock',
  'dropoff',
  'product-update',
  'product-deletion',
]);

/** The kinds whose rows are products to create. */
export const CREATION_KINDS: ReadonlySet<BatchKind | undefined> = new Set([
  'catalog-sync',
  'catalog-variants-sync',
  'product-create',
  'product-create-variants',
]);

export const terminalBatchStateSchema = z.enum([
  'completed',
  'completed_with_errors',
  'failed',
  'unresolved',
]);

/**
 * `unmatched`: a final summary whose batch is not known yet; `matched`: what is left of it when its batch has appeared
 * under another ID.
 */
export const batchStateSchema = z.enum([
  'submitted',
  'unmatched',
  'matched',
  ...terminalBatchStateSchema.options,
]);

/** Counts of the spec's §2, normalized to the keys of product, price and stock batches. */
export const batchSummarySchema = z.object({
  total: z.number().int().nonnegative(),
  failed: z.number().int().nonnegative(),
  pending: z.number().int().nonnegative(),
});

/** Where every row that was sent stands: `sent = accepted + rejected + unknown` at all times (design P3). */
export const rowCountsSchema = z.object({
  sent: z.number().int().nonnegative(),
  accepted: z.number().int().nonnegative(),
  rejected: z.number().int().nonnegative(),
  unknown: z.number().int().nonnegative(),
});

/** Which product of which command a row is. */
const rowCommandSchema = z.object({
  commandId: z.string(),
  /** Position in the command's `products`, from 0. */
  productIndex: z.number().int().nonnegative(),
});

/** What a row of a batch says of its command, where the batch has rows of several. */
const ofCommand = { command: rowCommandSchema.optional() };

/** Where a row of a request came from, with the names that an answer or a summary may call it by. */
export const rowOriginSchema = rowCommandSchema.extend({
  sku: z.string().optional(),
  externalId: z.string().optional(),
});

/** A failed row in the shared shape of the spec's §2. */
export const rejectedRowSchema = z.object({
  /** Zero-based position in the request; absent where the marketplace does not give one. */
  rowIndex: z.number().int().nonnegative().optional(),
  code: z.string(),
  message: z.string(),
  id: z.string().optional(),
  sku: z.string().optional(),
  externalId: z.string().optional(),
  orderId: z.string().optional(),
  invoiceNumber: z.string().optional(),
  details: z.record(z.string(), z.unknown()).optional(),
  ...ofCommand,
});

/** A row of which nobody can tell what became of it. */
const unknownRowSchema = attemptRowSchema.extend(ofCommand);

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
  origins: z.array(rowOriginSchema).optional(),
  /** ISO 8601. */
  submittedAt: z.string(),
  /** ISO 8601: when an open batch is taken up by the sweeper. */
  deadlineAt: z.string(),
  sentRows: z.number().int().nonnegative(),
  rejectedRows: z.array(rejectedRowSchema),
  /** `answer`: the answer is final, pending rows count as accepted. `summary`: a final summary follows by webhook. */
  endsBy: z.enum(['answer', 'summary']),
  /**
   * Whether an earlier try of the same rows may have had its effect: what exists already then counts as accepted, and
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
  /** Key of the raw body in the archive bucket. */
  archiveKey: z.string().optional(),
});

/** What reading back found of an open batch at its deadline (design P3). */
export const resolutionSchema = z.object({
  /** ISO 8601. */
  resolvedAt: z.string(),
  /** Rows that were known to be rejected, and those whose product is not at the marketplace. */
  rejectedRows: z.array(rejectedRowSchema),
  /** Rows that could not be read back; with any of them the batch is `unresolved`. */
  unknownRows: z.array(unknownRowSchema),
});

/** Most contradictions that a batch's record keeps. */
export const MAX_CONTRADICTIONS = 5;

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
  /**
   * Rows that nothing could tell about when the batch ended `unresolved`. Of an open batch that is shown: those that
   * nobody has told about yet.
   */
  unknownRows: z.array(unknownRowSchema).optional(),
  retryOf: z.string().optional(),
  /** ISO 8601: when its rows were first to be read back, and could not be. */
  lookedAt: z.string().optional(),
  /** Commands that were given to try failed rows of this batch again. */
  retries: z.array(z.string()).optional(),
  /** Of a `matched` record: the batch that has its final summary. */
  matchedTo: z.string().optional(),
  submission: submissionSchema.optional(),
  finalSummary: finalSummarySchema.optional(),
  resolution: resolutionSchema.optional(),
  /** Further final summaries that said something else than the one that counts. */
  contradictions: z.array(finalSummarySchema.omit({ rejectedRows: true })).optional(),
  /** Which events about this batch are known to be on the bus. */
  announced: z.array(z.enum(['batch.submitted', 'batch.completed', 'batch.unresolved'])),
});

/** A batch as a list shows it: of one whose failed rows are many, only the batch itself has them and what came with them. */
export const listedBatchSchema = batchRecordSchema.partial({ rejectedRows: true });

export type BatchKind = z.infer<typeof batchKindSchema>;
export type BatchState = z.infer<typeof batchStateSchema>;

export type RowOrigin = z.infer<typeof rowOriginSchema>;
export type RejectedRow = z.infer<typeof rejectedRowSchema>;
export type Submission = z.infer<typeof submissionSchema>;
export type FinalSummary = z.infer<typeof finalSummarySchema>;
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

import { z } from 'zod';

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

export const terminalBatchStateSchema = z.enum([
  'completed',
  'completed_with_errors',
  'failed',
  'unresolved',
]);

/** Counts of the spec's §2, normalized to the keys of product, price and stock batches. */
export const batchSummarySchema = z.object({
  total: z.number().int().nonnegative(),
  failed: z.number().int().nonnegative(),
  pending: z.number().int().nonnegative(),
});

/** Where every row that was sent stands: `sent = accepted + rejected + unknown` at all times. */
export const rowCountsSchema = z.object({
  sent: z.number().int().nonnegative(),
  accepted: z.number().int().nonnegative(),
  rejected: z.number().int().nonnegative(),
  unknown: z.number().int().nonnegative(),
});

/** What a row of a request is named by. */
export const rowNamesSchema = z.object({
  sku: z.string().optional(),
  id: z.string().optional(),
  externalId: z.string().optional(),
  orderId: z.string().optional(),
  invoiceNumber: z.string().optional(),
});

/** The command that a row is of, and its product there. */
export const rowCommandSchema = z.object({
  commandId: z.string(),
  /** Position in the command's `products`, from 0. */
  productIndex: z.number().int().nonnegative(),
});

/** A failed row in the shared shape of the spec's §2. */
export const rejectedRowSchema = rowNamesSchema.extend({
  /** Zero-based position in the request; absent where it is not known. */
  rowIndex: z.number().int().nonnegative().optional(),
  code: z.string(),
  message: z.string(),
  details: z.record(z.string(), z.unknown()).optional(),
  /** Where the batch has rows of several commands. */
  command: rowCommandSchema.optional(),
});

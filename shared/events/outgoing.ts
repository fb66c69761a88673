import { z } from 'zod';
import { decision, documentKindSchema, orderActionSchema } from '../marketplace/fields.ts';

/** `source` of every event that this stack puts on its bus. */
export const EVENT_SOURCE = 'marketplace.connector';

/** Most rows that one `rows.rejected` carries. */
export const MAX_REJECTED_ROWS_PER_EVENT = 100;

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

const count = z.number().int().nonnegative();

/** Counts of the spec's §2, normalized to the keys of product, price and stock batches. */
export const batchSummarySchema = z.object({
  total: count,
  failed: count,
  pending: count,
});

/** Where every row that was sent stands: `sent = accepted + rejected + unknown` at all times. */
export const rowCountsSchema = z.object({
  sent: count,
  accepted: count,
  rejected: count,
  unknown: count,
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
  productIndex: count,
});

/** A failed row in the shared shape of the spec's §2. */
export const rejectedRowSchema = rowNamesSchema.extend({
  /** Zero-based position in the request; absent where it is not known. */
  rowIndex: count.optional(),
  code: z.string(),
  message: z.string(),
  details: z.record(z.string(), z.unknown()).optional(),
  /** Where the batch has rows of several commands. */
  command: rowCommandSchema.optional(),
});

/** Where the rows of a batch stand, as we count them and as the marketplace does. */
const batchCounts = { rows: rowCountsSchema, summary: batchSummarySchema };

/** The command whose rows a batch has, or the commands where there are several. */
const batchCommands = {
  commandId: z.string().optional(),
  commandIds: z.array(z.string()).optional(),
};

const batchFacts = {
  storeClientId: z.string(),
  batchId: z.string(),
  requestId: z.string().optional(),
  ...batchCommands,
  kind: batchKindSchema,
};

const documentFacts = {
  storeClientId: z.string(),
  commandId: z.string(),
  orderId: z.string(),
  document: documentKindSchema,
  requestId: z.string().optional(),
};

/** Most orders that one event about orders names. */
export const MAX_ORDERS_PER_EVENT = 100;

/** An order as the command named it. */
const orderReference = { orderId: z.string().optional(), invoiceNumber: z.string().optional() };

/** A rejected row with what is known of where it came from. */
export const rejectedEventRowSchema = rejectedRowSchema.extend({
  target: z.string().optional(),
  field: z.string().optional(),
  origin: z.string().optional(),
  /** The positions of all its rows, if it covers several rows of a large event. */
  rowIndexes: z.array(z.number().int()).optional(),
});

/** Schema of the `detail` of each event out, by its `detail-type`. */
export const outgoingDetailSchemas = {
  'batch.submitted': z.object({ ...batchFacts, ...batchCounts }),
  'batch.completed': z.object({ ...batchFacts, state: terminalBatchStateSchema, ...batchCounts }),
  'batch.unresolved': z.object({ ...batchFacts, ...batchCounts }),
  /** A further final summary says something else than how the batch ended, which stays as it is. */
  'summary.contradicted': z.object({
    ...batchFacts,
    state: terminalBatchStateSchema.exclude(['unresolved']),
    rows: rowCountsSchema,
    said: z.object({
      /** ISO 8601. */
      receivedAt: z.string(),
      summary: batchSummarySchema,
      /** The first of them. */
      rejectedRows: z.array(rejectedRowSchema),
      /** Key of its body in the archive bucket. */
      archiveKey: z.string().optional(),
    }),
  }),
  'rows.rejected': z.object({
    storeClientId: z.string(),
    batchId: z.string().optional(),
    requestId: z.string().optional(),
    ...batchCommands,
    /** The `id` of the event that the rows came in, or the ID that the route answered. */
    eventId: z.string().optional(),
    detailType: z.string().optional(),
    rows: z.array(rejectedEventRowSchema).max(MAX_REJECTED_ROWS_PER_EVENT),
  }),
  'store.connected': z.object({ storeClientId: z.string() }),
  'store.suspended': z.object({
    storeClientId: z.string(),
    reason: z.string(),
    requestId: z.string().optional(),
  }),
  /** Too many prices changed by too much: they wait, with the raises behind them, until released or discarded. */
  'prices.held': z.object({
    storeClientId: z.string(),
    reason: z.string(),
    /** ISO 8601. */
    since: z.string(),
    changedListings: z.number().int(),
    knownListings: z.number().int(),
  }),
  'store.unbound': z.object({ storeClientId: z.string() }),
  'document.stored': z.object({
    ...documentFacts,
    bucket: z.string(),
    key: z.string(),
    /** Bytes. */
    size: z.int(),
    /** Lower-case hex. */
    sha256: z.string(),
  }),
  /** The marketplace took these decisions. */
  'orders.decided': z.object({
    storeClientId: z.string(),
    commandId: z.string(),
    orders: z.array(z.object({ ...orderReference, decision })).max(MAX_ORDERS_PER_EVENT),
  }),
  /**
   * Whether the marketplace took these decisions or dropoffs is not known. They are not sent again until an operator
   * resolves them or a command with `retry` asks for it.
   */
  'orders.unknown': z.object({
    storeClientId: z.string(),
    commandId: z.string(),
    action: orderActionSchema,
    /** Why the outcome is not known, such as `TIMEOUT`. */
    code: z.string(),
    message: z.string(),
    orders: z.array(z.object({ ...orderReference, decision: decision.optional() })).max(MAX_ORDERS_PER_EVENT),
  }),
  'document.failed': z.object({
    ...documentFacts,
    code: z.string(),
    message: z.string(),
    /** What the marketplace says of it, such as `allowedSubstatuses`. */
    context: z.record(z.string(), z.unknown()).optional(),
  }),
} as const;

type OutgoingDetailSchemas = typeof outgoingDetailSchemas;
export type OutgoingDetailType = keyof OutgoingDetailSchemas;

/** An event out: one `detail-type` with the `detail` that belongs to it. */
export type OutgoingEvent = {
  [T in OutgoingDetailType]: { readonly detailType: T; readonly detail: z.infer<OutgoingDetailSchemas[T]> };
}[OutgoingDetailType];

/** The stack's event bus, outgoing side. */
export interface EventPublisher {
  /** Durable on the bus when it resolves; throws when any entry was not taken. */
  publish(events: readonly OutgoingEvent[]): Promise<void>;
}

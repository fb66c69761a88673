import * as z from 'zod';
import { countSchema } from '../collections/counts.ts';
import { decision, documentKindSchema, orderActionSchema } from '../marketplace/fields.ts';
import { isoTimeSchema } from '../time/times.ts';

export const MAX_REJECTED_ROWS_PER_EVENT = 100;
/**
 * Limits of the rows in one `rows.rejected`. EventBridge allows 1 MB, but in some regions only 256 KB. Targets of the partner's rules may
 * have the lower limit too.
 */
export const REJECTED_ROWS_LIMITS = { maxItems: MAX_REJECTED_ROWS_PER_EVENT, maxBytes: 200_000 };

/**
 * The ASYNC calls of §4, which answer with a batch. Updates and deletions of products are answered at once and become
 * batches only when the answer is lost.
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

/** Counts of §2, with the names that product, price and stock batches use. */
export const batchSummarySchema = z.object({
  total: countSchema,
  failed: countSchema,
  pending: countSchema,
});

/** The outcomes of all sent rows: `sent = accepted + rejected + unknown` at all times (P3). */
export const rowCountsSchema = z.object({
  sent: countSchema,
  accepted: countSchema,
  rejected: countSchema,
  unknown: countSchema,
});

/** The names of a row of a request. */
export const rowNamesSchema = z.object({
  sku: z.string().optional(),
  id: z.string().optional(),
  externalId: z.string().optional(),
  orderId: z.string().optional(),
  invoiceNumber: z.string().optional(),
});

/** For a rejection with several rows: the first 1,000 rows that have a name. */
export const rejectionSubjectsSchema = z.array(rowNamesSchema.extend({ rowIndex: countSchema.optional() }));

/** The command that brought a row, and the position of the row's product in the command. */
export const rowCommandSchema = z.object({
  commandId: z.string(),
  /** Position in the command's `products`, from 0. */
  productIndex: countSchema,
});

/** Most versions of one row: it may have the stock of many warehouses. */
export const MOST_VERSIONS = 20;
export const rowVersionsSchema = z.array(z.number().int()).max(MOST_VERSIONS);

/** A failed row in the shape of §2. */
export const rejectedRowSchema = rowNamesSchema.extend({
  /** Zero-based position in the request; absent if unknown. */
  rowIndex: countSchema.optional(),
  code: z.string(),
  message: z.string(),
  details: z.record(z.string(), z.unknown()).optional(),
  /** For a row of stock or prices: the versions of its values, epoch ms or the partner's own integers. */
  versions: rowVersionsSchema.optional(),
  /** Present if the batch has rows of several commands. */
  command: rowCommandSchema.optional(),
});

/** Counts of a batch: `rows` by the connector, `summary` by the marketplace. */
const batchCounts = { rows: rowCountsSchema, summary: batchSummarySchema };

/** `commandIds` instead of `commandId` if a batch has rows of several commands. */
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

/** Registers of a listing whose live values are compared with the wanted ones. */
const listingDrift = {
  storeClientId: z.string(),
  target: z.string(),
  registers: z.array(
    z.object({
      /** `price`, `specialPrice`, `stock`, or `stock:{clientId}` of a warehouse. */
      register: z.string(),
      wanted: z.number().nullable(),
      /** The value that the marketplace showed instead. */
      live: z.number().nullable(),
      /** When a read first showed this value. */
      since: isoTimeSchema,
    }),
  ),
};

export const MAX_ORDERS_PER_EVENT = 100;

/** An order by the identifier in its command. */
const orderReference = { orderId: z.string().optional(), invoiceNumber: z.string().optional() };

/** A rejected row with its origin, as far as known. */
export const rejectedEventRowSchema = rejectedRowSchema.extend({
  target: z.string().optional(),
  field: z.string().optional(),
  origin: z.string().optional(),
  /** Positions of all rows of the event that this rejection covers, if several. */
  rowIndexes: z.array(z.number().int()).optional(),
  subjects: rejectionSubjectsSchema.optional(),
});

/** Schema of the `detail` of each event out, by its `detail-type`. */
export const outgoingDetailSchemas = {
  'batch.submitted': z.object({ ...batchFacts, ...batchCounts }),
  'batch.completed': z.object({ ...batchFacts, state: terminalBatchStateSchema, ...batchCounts }),
  'batch.unresolved': z.object({ ...batchFacts, ...batchCounts }),
  /** A final summary contradicts the end of the batch, or is of another store. The end does not change. */
  'summary.contradicted': z.object({
    ...batchFacts,
    state: terminalBatchStateSchema.exclude(['unresolved']),
    rows: rowCountsSchema,
    said: z.object({
      storeClientId: z.string().optional(),
      receivedAt: isoTimeSchema,
      summary: batchSummarySchema,
      /** The first rejected rows; the archived body has all. */
      rejectedRows: z.array(rejectedRowSchema),
      /** Key of the summary's body in the archive bucket. */
      archiveKey: z.string().optional(),
    }),
  }),
  'rows.rejected': z.object({
    storeClientId: z.string(),
    batchId: z.string().optional(),
    requestId: z.string().optional(),
    ...batchCommands,
    /** The `id` of the event that brought the rows, or the ID in the route's answer. */
    eventId: z.string().optional(),
    detailType: z.string().optional(),
    rows: z.array(rejectedEventRowSchema).max(MAX_REJECTED_ROWS_PER_EVENT),
  }),
  'store.connected': z.object({
    storeClientId: z.string(),
    /** If an onboarding connected the store: the marketplace's session (`sid`), and the partner's own `reference`. */
    sid: z.string().optional(),
    reference: z.string().optional(),
  }),
  'store.suspended': z.object({
    storeClientId: z.string(),
    reason: z.string(),
    requestId: z.string().optional(),
  }),
  /** Too many prices changed by too much. They are held until released or discarded, and stock raises wait for them. */
  'prices.held': z.object({
    storeClientId: z.string(),
    reason: z.string(),
    since: isoTimeSchema,
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
  /** The marketplace accepted these decisions. All of them are of one request. */
  'orders.decided': z.object({
    storeClientId: z.string(),
    /** Absent if the orders belong to several commands: then each order has its `commandId`. */
    commandId: z.string().optional(),
    orders: z
      .array(z.object({ ...orderReference, decision, commandId: z.string().optional() }))
      .max(MAX_ORDERS_PER_EVENT),
  }),
  /**
   * The outcome of these decisions or dropoffs is unknown. They are not sent again until an operator retries them or a
   * command with `retry` comes.
   */
  'orders.unknown': z.object({
    storeClientId: z.string(),
    commandId: z.string(),
    action: orderActionSchema,
    /** Why the outcome is unknown, such as `TIMEOUT`. */
    code: z.string(),
    message: z.string(),
    orders: z.array(z.object({ ...orderReference, decision: decision.optional() })).max(MAX_ORDERS_PER_EVENT),
  }),
  /** The marketplace shows other values than the accepted ones. The wanted values wait again, unless the store's `repair` is off. */
  'listing.drifted': z.object(listingDrift),
  /** A later read showed the wanted values again. */
  'listing.repaired': z.object(listingDrift),
  /** The registers drifted again in the cycle after their repair, three times in a row: a person has to decide. */
  'listing.contested': z.object(listingDrift),
  /** The marketplace accepted values of a listing, but two whole cycles in a row did not show the listing's product. */
  'listing.missing': z.object({
    storeClientId: z.string(),
    target: z.string(),
    /** When the second cycle had not shown the product. */
    since: isoTimeSchema,
  }),
  /** The marketplace does not answer, or answers that it can't: requests wait, and are sent again. Published once. */
  'marketplace.failing': z.object({
    /** `-`: the event is about all stores. */
    storeClientId: z.literal('-'),
    since: isoTimeSchema,
    message: z.string(),
    /** Status of the last failure. Absent if the marketplace did not answer. */
    status: z.number().int().optional(),
    code: z.string().optional(),
    /** Requests of the last five minutes, and how many of them failed. */
    requests: countSchema,
    failed: countSchema,
    lastSuccessAt: isoTimeSchema.optional(),
    /** The marketplace asked to wait until this time. */
    heldUntil: isoTimeSchema.optional(),
  }),
  /** The marketplace answers again after `marketplace.failing`. */
  'marketplace.recovered': z.object({
    /** `-`: the event is about all stores. */
    storeClientId: z.literal('-'),
    /** Since when the marketplace had failed. */
    since: isoTimeSchema,
    /** The first success after the failures, or a later one. */
    recoveredAt: isoTimeSchema,
  }),
  'document.failed': z.object({
    ...documentFacts,
    code: z.string(),
    message: z.string(),
    /** Context of the marketplace's error, such as `allowedSubstatuses`. */
    context: z.record(z.string(), z.unknown()).optional(),
  }),
} as const;

type OutgoingDetailSchemas = typeof outgoingDetailSchemas;
export type OutgoingDetailType = keyof OutgoingDetailSchemas;

/** An outgoing event: a `detail-type` with its `detail`. */
export type OutgoingEvent = {
  [T in OutgoingDetailType]: { readonly detailType: T; readonly detail: z.infer<OutgoingDetailSchemas[T]> };
}[OutgoingDetailType];

export interface EventPublisher {
  /** Resolves when all events are durable on the stack's bus; throws if the bus refuses any. */
  publish(events: readonly OutgoingEvent[]): Promise<void>;
}

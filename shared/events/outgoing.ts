import * as z from 'zod';
import { countSchema } from '../collections/counts.ts';
import { decision, documentKindSchema, orderActionSchema } from '../marketplace/fields.ts';
import { isoTimeSchema } from '../time/times.ts';

export const MAX_REJECTED_ROWS_PER_EVENT = 100;
/**
 * Limits of the rows in one `rows.rejected`. EventBridge takes 256 KB in regions that do not have its limit of 1 MB, and targets of the
 * partner's rules may take no more either.
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

/** Of a rejection with several rows: the first 1,000 of them that have a name. */
export const rejectionSubjectsSchema = z.array(rowNamesSchema.extend({ rowIndex: countSchema.optional() }));

/** The command that brought a row, and the row's product there. */
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
  /** Of a row of stock or prices: the versions of its values, epoch ms or the partner's own. */
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
      /** What the marketplace showed in its place. */
      live: z.number().nullable(),
      /** The first read that showed it. */
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
  /** A final summary contradicts the end of the batch, or is of another store. The end stays. */
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
    /** Of the onboarding that connected it, if one did: the marketplace's session, and the partner's own `reference`. */
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
  /** The marketplace accepted these decisions: those of one request. */
  'orders.decided': z.object({
    storeClientId: z.string(),
    /** Absent if the orders belong to several commands: then each order names its own. */
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
  /** The marketplace shows other values than the accepted ones. They wait again, unless the store's `repair` is off. */
  'listing.drifted': z.object(listingDrift),
  /** A later read showed the wanted values again. */
  'listing.repaired': z.object(listingDrift),
  /** The registers drifted again in the cycle after their repair, three times in a row: a person has to decide. */
  'listing.contested': z.object(listingDrift),
  /** Two whole cycles in a row did not show the product of a listing that the marketplace took values for. */
  'listing.missing': z.object({
    storeClientId: z.string(),
    target: z.string(),
    /** When the second cycle had not shown it. */
    since: isoTimeSchema,
  }),
  /** The marketplace does not answer, or answers that it can't: requests wait, and are sent again. Said once. */
  'marketplace.failing': z.object({
    /** `-`: it is about all stores. */
    storeClientId: z.literal('-'),
    since: isoTimeSchema,
    message: z.string(),
    /** Of the last failure. Absent without an answer. */
    status: z.number().int().optional(),
    code: z.string().optional(),
    /** Requests of the last five minutes, and those among them that failed. */
    requests: countSchema,
    failed: countSchema,
    lastSuccessAt: isoTimeSchema.optional(),
    /** Until then the marketplace asked to wait. */
    heldUntil: isoTimeSchema.optional(),
  }),
  /** The marketplace answers again after `marketplace.failing`. */
  'marketplace.recovered': z.object({
    /** `-`: it is about all stores. */
    storeClientId: z.literal('-'),
    /** Since when it had failed. */
    since: isoTimeSchema,
    /** The first success that was seen after it, or a later one. */
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

import { z } from 'zod';
import { decision, documentKindSchema, orderActionSchema } from '../marketplace/fields.ts';
import {
  batchKindSchema,
  batchSummarySchema,
  rejectedRowSchema,
  rowCountsSchema,
  terminalBatchStateSchema,
} from './batch-facts.ts';

/** `source` of every event that this stack puts on its bus. */
export const EVENT_SOURCE = 'marketplace.connector';

/** Most rows that one `rows.rejected` carries (design §6.2). */
export const MAX_REJECTED_ROWS_PER_EVENT = 100;

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
  /** All rows that it stands for, where there are several of a large event. */
  rowIndexes: z.array(z.number().int()).optional(),
});

/** Schema of the `detail` of each event out, by its `detail-type` (design §6.2). */
export const outgoingDetailSchemas = {
  'batch.submitted': z.object({ ...batchFacts, rows: rowCountsSchema, summary: batchSummarySchema }),
  'batch.completed': z.object({
    ...batchFacts,
    state: terminalBatchStateSchema,
    rows: rowCountsSchema,
    summary: batchSummarySchema,
  }),
  'batch.unresolved': z.object({ ...batchFacts, rows: rowCountsSchema, summary: batchSummarySchema }),
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
   * Nobody can tell whether the marketplace took these decisions or dropoffs. They are not sent again until an operator
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
    /** What the marketplace told of it, such as `allowedSubstatuses`. */
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

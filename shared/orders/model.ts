import { z } from 'zod';
import { definedOf } from '../collections/defined-of.ts';
import { decision, type OrderAction } from '../marketplace/fields.ts';
import { type Command, lockSchema, type RequestKind } from '../requests/model.ts';

/** What is kept of a decision or a dropoff of an order. */
const actionFacts = {
  commandId: z.string(),
  /** The request that it was last sent in. */
  recordId: z.string(),
  /** ISO 8601; when that request was about to be sent. */
  startedAt: z.string(),
  /** ISO 8601; when the state became `done`, `refused` or `unknown`. */
  endedAt: z.string().optional(),
  batchId: z.string().optional(),
  /** The marketplace's, to quote when contacting its support. */
  requestId: z.string().optional(),
  /** Why it was refused, or why the outcome is unknown. */
  code: z.string().optional(),
  message: z.string().optional(),
  /** Of a decision. */
  decision: decision.optional(),
  reasonCode: z.string().optional(),
  reason: z.string().optional(),
};

/** `refused` by the marketplace, or by an operator who found that it had no effect; `unknown`: by an operator's word or a retry. */
const ends = ['done', 'refused', 'unknown'] as const;

const endedActionSchema = z.object({
  state: z.enum(ends),
  ...actionFacts,
  /** Of the request that it was sent in: no other may be sent before it expires. */
  lock: lockSchema.optional(),
});

const sendingActionSchema = z.object({
  state: z.literal('sending'),
  ...actionFacts,
  lock: lockSchema,
  /** What holds where the request turns out to have had no effect. */
  before: endedActionSchema.optional(),
});

/**
 * How far a decision or a dropoff has come. `sending`: a request is about to leave or has left; where its lock has
 * expired, the request's own record says how it ended.
 */
export const actionRecordSchema = z.discriminatedUnion('state', [sendingActionSchema, endedActionSchema]);
export type SendingAction = z.infer<typeof sendingActionSchema>;
export type EndedAction = z.infer<typeof endedActionSchema>;
export type ActionRecord = z.infer<typeof actionRecordSchema>;

const documentRecordSchema = z.object({
  state: z.enum(['stored', 'failed']),
  commandId: z.string(),
  /** ISO 8601 */
  at: z.string(),
  /** Of the document bucket. */
  key: z.string().optional(),
  sha256: z.string().optional(),
  requestId: z.string().optional(),
  code: z.string().optional(),
  message: z.string().optional(),
});
export type DocumentRecord = z.infer<typeof documentRecordSchema>;

/** An order as the Orders table keeps it: all that was done with it through this stack. */
export const orderRecordSchema = z.object({
  storeClientId: z.string().min(1),
  /** See `orderKeyOf`. */
  orderKey: z.string().min(1),
  orderId: z.string().optional(),
  invoiceNumber: z.string().optional(),
  decision: actionRecordSchema.optional(),
  dropoff: actionRecordSchema.optional(),
  documents: z
    .object({ 'shipping-label': documentRecordSchema.optional(), invoice: documentRecordSchema.optional() })
    .optional(),
});
export type OrderRecord = z.infer<typeof orderRecordSchema>;

const actionViewSchema = z.object({ state: z.enum(['sending', ...ends]), ...actionFacts });

/** An order as it is shown: without locks. */
export const orderViewSchema = orderRecordSchema.extend({
  decision: actionViewSchema.optional(),
  dropoff: actionViewSchema.optional(),
});

/** An order by one of its names. */
export interface OrderReference {
  readonly orderId?: string | undefined;
  readonly invoiceNumber?: string | undefined;
}

/** Key of an order: the name that its store uses, with its kind. UUIDs are compared in lower case. */
export function orderKeyOf({ orderId, invoiceNumber }: OrderReference): string {
  if (orderId !== undefined) return `orderId:${orderId.toLowerCase()}`;
  return `invoiceNumber:${invoiceNumber ?? ''}`;
}

/** The name alone, without what else a row carries. */
export function referenceOf({ orderId, invoiceNumber }: OrderReference): OrderReference {
  return definedOf({ orderId, invoiceNumber });
}

/** What the requests of each action are recorded as. */
export const REQUEST_KIND_OF = { decision: 'order-decision', dropoff: 'dropoff' } as const;

/** The action that a request about orders is for. */
export function actionOf(kind: RequestKind): OrderAction {
  return kind === REQUEST_KIND_OF.decision ? 'decision' : 'dropoff';
}

/** `order.decision.requested` or `order.dropoff.requested`, with its defaults. */
export interface OrderCommand extends Command {
  readonly action: OrderAction;
  /** As they came: each is still to be checked. */
  readonly items: readonly unknown[];
  /** Sends orders again whose outcome an earlier command left unknown. */
  readonly retry: boolean;
}

/** The outcome of one row of a command. */
export interface RowOutcome {
  readonly index: number;
  /**
   * - `done before`: the marketplace took it earlier;
   * - `busy`: nothing was sent, as another command is sending some order of the request.
   */
  readonly state: 'done' | 'done before' | 'rejected' | 'unknown' | 'busy';
  readonly code?: string | undefined;
  readonly message?: string | undefined;
  readonly batchId?: string | undefined;
  readonly requestId?: string | undefined;
}

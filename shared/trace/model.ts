import * as z from 'zod';
import { countSchema } from '../collections/counts.ts';
import { rowNamesSchema } from '../events/outgoing.ts';
import { decision } from '../marketplace/fields.ts';
import { type IsoTime, isoTimeSchema } from '../time/times.ts';

const stepKindSchema = z.enum([
  /** The marketplace took the creation of the product, or may have. */
  'product.created',
  /** A stock or price event was merged into listings. */
  'event.taken',
  /** The newest value of a register. `at` is its version, if that is a time. */
  'value.desired',
  /** The target waits since `at`. */
  'value.waiting',
  'value.sent',
  'value.settled',
  /** The value was read from the marketplace. */
  'value.live',
  'command.given',
  /** The command waits: `until` is its next delivery. */
  'command.waiting',
  'command.planned',
  /** A request with rows of the command was not sent yet. */
  'request.prepared',
  /** `at` is the last signature. */
  'request.sent',
  /** One try of a request, and its end if it is known. */
  'request.tried',
  'request.ended',
  'batch.submitted',
  'summary.received',
  /** The batch's unknown rows were read at the marketplace. */
  'batch.read-back',
  /** An operator recorded the outcome of the batch's unknown rows. */
  'batch.resolved',
  'batch.ended',
  'row.rejected',
  'order.decision',
  'order.dropoff',
  /** An operator recorded the outcome of the order. */
  'order.resolved',
  'document.shipping-label',
  'document.invoice',
]);

export const traceStepSchema = z.object({
  at: isoTimeSchema,
  what: stepKindSchema,
  storeClientId: z.string(),
  detailType: z.string().optional(),
  eventId: z.string().optional(),
  commandId: z.string().optional(),
  /** The connector's ID of the request. */
  recordId: z.string().optional(),
  /** The marketplace's ID of the request. */
  requestId: z.string().optional(),
  batchId: z.string().optional(),
  target: z.string().optional(),
  /** `price`, `specialPrice`, `stock` or `stock:{clientId}`. */
  register: z.string().optional(),
  value: z.number().nullable().optional(),
  /** Epoch ms, or the partner's own integer. */
  version: z.number().int().optional(),
  rowIndex: countSchema.optional(),
  ...rowNamesSchema.shape,
  /** Path of the field at fault. */
  field: z.string().optional(),
  rows: z
    .object({
      given: countSchema,
      sent: countSchema,
      accepted: countSchema,
      rejected: countSchema,
      unknown: countSchema,
    })
    .partial()
    .optional(),
  /** Absent for a step without an outcome. */
  outcome: z.string().optional(),
  /** The decision on an order, and the reason of a rejection. */
  decision: decision.optional(),
  reasonCode: z.string().optional(),
  reason: z.string().optional(),
  /** The marketplace's HTTP status. */
  status: z.number().optional(),
  /** End of the wait, or time of the next try. */
  until: isoTimeSchema.optional(),
  code: z.string().optional(),
  message: z.string().optional(),
});
export type TraceStep = z.infer<typeof traceStepSchema>;

/** The step at a time, ISO 8601 or epoch ms; no step without a time. */
export function stepAt(
  at: IsoTime | number | undefined,
  what: TraceStep['what'],
  facts: Omit<TraceStep, 'at' | 'what'>,
): TraceStep[] {
  if (at === undefined) return [];
  return [{ at: typeof at === 'number' ? new Date(at).toISOString() : at, what, ...facts }];
}

/** A trace has exactly one subject. */
export const traceSubjects = [
  'eventId',
  'commandId',
  'batchId',
  'target',
  'orderId',
  'invoiceNumber',
  'requestId',
] as const;
export type TraceSubject = { readonly [Name in (typeof traceSubjects)[number]]?: string | undefined } & {
  readonly storeClientId?: string | undefined;
};

export const traceSchema = z.object({
  subject: z.record(z.string(), z.string()),
  /** In the order of `at`. */
  steps: z.array(traceStepSchema),
});
export type Trace = z.infer<typeof traceSchema>;

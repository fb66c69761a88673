import { z } from 'zod';
import { rowNamesSchema } from '../events/outgoing.ts';

/** What happened in one step. */
const stepKindSchema = z.enum([
  /** A stock or price event was merged into listings. */
  'event.taken',
  /** The newest value of a register, and when it became true. */
  'value.desired',
  /** Its target waits since then. */
  'value.waiting',
  'value.sent',
  'value.settled',
  /** Seen at the marketplace. */
  'value.live',
  'command.given',
  'command.planned',
  /** A request has rows of the command, and was not sent yet. */
  'request.prepared',
  /** Signed for the last time. */
  'request.sent',
  'request.ended',
  'batch.submitted',
  'summary.received',
  'batch.read-back',
  'batch.ended',
  'row.rejected',
  'order.decision',
  'order.dropoff',
  'document.shipping-label',
  'document.invoice',
]);

const count = z.number().int().nonnegative();

/** One step of a trace. */
export const traceStepSchema = z.object({
  /** ISO 8601. */
  at: z.string(),
  what: stepKindSchema,
  storeClientId: z.string(),
  detailType: z.string().optional(),
  eventId: z.string().optional(),
  commandId: z.string().optional(),
  /** Of the request, ours. */
  recordId: z.string().optional(),
  /** Of the marketplace's answer. */
  requestId: z.string().optional(),
  batchId: z.string().optional(),
  target: z.string().optional(),
  /** `price`, `specialPrice`, `stock` or `stock:{clientId}`. */
  register: z.string().optional(),
  value: z.number().nullable().optional(),
  /** Epoch ms, or the partner's own integer. */
  version: z.number().int().optional(),
  rowIndex: count.optional(),
  ...rowNamesSchema.shape,
  /** Path of the field at fault. */
  field: z.string().optional(),
  rows: z
    .object({ given: count, sent: count, accepted: count, rejected: count, unknown: count })
    .partial()
    .optional(),
  /** How the step ended; absent where it only happened. */
  outcome: z.string().optional(),
  code: z.string().optional(),
  message: z.string().optional(),
});
export type TraceStep = z.infer<typeof traceStepSchema>;

/** What is traced: one of them. */
export const traceSubjects = [
  'eventId',
  'commandId',
  'batchId',
  'target',
  'orderId',
  'invoiceNumber',
] as const;
export type TraceSubject = { readonly [Name in (typeof traceSubjects)[number]]?: string | undefined } & {
  readonly storeClientId?: string | undefined;
};

export const traceSchema = z.object({
  subject: z.record(z.string(), z.string()),
  /** In the order of their times. */
  steps: z.array(traceStepSchema),
});
export type Trace = z.infer<typeof traceSchema>;

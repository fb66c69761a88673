import { documentKindSchema, type OrderAction, orderActionSchema } from '../marketplace/fields.ts';
import type { ActionRecord, OrderRecord } from '../orders/model.ts';
import { stepAt, type TraceStep } from './model.ts';

type OrderIds = Pick<TraceStep, 'storeClientId' | 'orderId' | 'invoiceNumber'>;

/** The steps of an order: its decision, its dropoff and its documents. */
export function stepsOfOrder(order: OrderRecord): TraceStep[] {
  const { storeClientId, orderId, invoiceNumber, documents } = order;
  const ids = { storeClientId, orderId, invoiceNumber };
  return [
    ...orderActionSchema.options.flatMap((action) => {
      const record = order[action];
      return record === undefined ? [] : stepsOfAction(action, record, ids);
    }),
    ...documentKindSchema.options.flatMap((kind) => {
      const { at, state, commandId, requestId, code, message, key } = documents?.[kind] ?? {};
      const facts = { ...ids, commandId, requestId, code, message: message ?? key, outcome: state };
      return stepAt(at, `document.${kind}`, facts);
    }),
  ];
}

function stepsOfAction(action: OrderAction, record: ActionRecord, ids: OrderIds): TraceStep[] {
  const { state, startedAt, endedAt, commandId, recordId, batchId, requestId, code, message } = record;
  const { decision, reasonCode, reason, resolution } = record;
  const its = { ...ids, commandId, recordId, decision, reasonCode, reason };
  const what = `order.${action}` as const;
  if (resolution !== undefined) {
    const before = { ...its, outcome: 'unknown', code: resolution.code };
    return [...stepAt(startedAt, what, before), ...resolvedSteps(resolution, its)];
  }
  const end = { ...its, outcome: state, batchId, requestId, code, message };
  return [
    ...stepAt(startedAt, what, endedAt === undefined ? end : { ...its, outcome: 'sending' }),
    ...stepAt(endedAt, what, end),
  ];
}

function resolvedSteps(
  { at, outcome, reason }: NonNullable<ActionRecord['resolution']>,
  { reason: _, ...facts }: Omit<TraceStep, 'at' | 'what'>,
): TraceStep[] {
  const recorded = `an operator recorded: ${outcome === 'accepted' ? 'it was done' : 'it had no effect'}`;
  const message = reason ? `${recorded}: ${reason}` : recorded;
  return stepAt(at, 'order.resolved', { ...facts, outcome, message });
}

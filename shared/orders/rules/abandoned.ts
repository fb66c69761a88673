import type { Attempt } from '../../attempts/model.ts';
import { type ActionRecord, type OrderAction, type OrderRecord, orderResultSchema } from '../model.ts';
import { type ActionOutcome, ATTEMPT_KEPT_MS } from './claim.ts';
import { orderKeyOf } from './order-key.ts';
import { batchIdOf, rowOutcomes } from './row-outcomes.ts';

/** What nobody can tell of an order whose sender ended before it noted an answer. */
export const LOST = { code: 'ATTEMPT_ABANDONED', message: 'the sender ended before the answer' };

/** What is kept of how an attempt ended; `undefined` before its sender noted anything. */
export function notedResult(attempt: Attempt | undefined) {
  return orderResultSchema.safeParse(attempt?.result).data;
}

/**
 * How an attempt ended for one of its orders whose sender is gone: as it noted, or without any effect if its request
 * surely never left, as an attempt is recorded before it does. Otherwise nobody can tell.
 *
 * @param now epoch ms.
 */
export function abandonedOutcome(
  attempt: Attempt | undefined,
  { order, action, now }: { readonly order: OrderRecord; readonly action: OrderAction; readonly now: number },
): ActionOutcome {
  const record = order[action];
  const result = notedResult(attempt);
  if (attempt && result) {
    const outcomes = rowOutcomes(attempt.rows, result, batchIdOf(action, attempt.attemptId, result));
    const { orderId, invoiceNumber } = order;
    const names = [orderId && orderKeyOf({ orderId }), invoiceNumber && orderKeyOf({ invoiceNumber })];
    const outcome = outcomes[attempt.rows.findIndex((row) => names.includes(orderKeyOf(row)))];
    if (outcome) return outcome;
  }
  const neverLeft = attempt === undefined ? isRecent(record, now) : attempt.state === 'refused';
  return neverLeft ? { state: 'withdrawn' } : { state: 'unknown', ...LOST };
}

function isRecent(record: ActionRecord | undefined, now: number): boolean {
  return record !== undefined && now - Date.parse(record.startedAt) < ATTEMPT_KEPT_MS;
}

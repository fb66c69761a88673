import {
  type ReportRejectionsPorts,
  reportRejections,
} from '../../rejections/use-cases/report-rejections.ts';
import type { ActionRecord, OrderCommand, RowOutcome } from '../model.ts';
import { rejectionOfOrder } from '../rules/order-rejection.ts';
import type { ClaimedRow } from './claim-orders.ts';

export const CONFLICT = {
  code: 'ORDER_DECIDED_OTHERWISE',
  message: 'the other decision was sent for this order before',
};
const UNKNOWN = {
  code: 'ORDER_OUTCOME_UNKNOWN',
  message: 'it was sent for this order before, with an unknown outcome: resolve it, or ask for a retry',
};

/**
 * Says what becomes of the rows that are not sent, and rejects those that another command stands in the way of. A
 * rejection that was reported before is reported under the same ID.
 */
export async function reportUnsent(
  ports: ReportRejectionsPorts,
  command: OrderCommand,
  unsent: readonly ClaimedRow[],
): Promise<RowOutcome[]> {
  const outcomes = unsent.map((claim) => outcomeOf(claim, claim.order?.[command.action]));
  await reportRejectedRows(ports, command, outcomes);
  return outcomes;
}

/** Keeps and tells of the rows that are rejected; its batch does so for a dropoff that the marketplace skipped. */
export async function reportRejectedRows(
  ports: ReportRejectionsPorts,
  command: OrderCommand,
  outcomes: readonly RowOutcome[],
): Promise<void> {
  const rejections = outcomes.flatMap(({ index, state, code, message = '', batchId, requestId }) => {
    if (state !== 'rejected' || code === undefined || batchId !== undefined) return [];
    return [rejectionOfOrder(command, { index, item: command.items[index] }, { code, message, requestId })];
  });
  await reportRejections(ports, rejections);
}

function outcomeOf({ row: { index }, verdict }: ClaimedRow, record: ActionRecord | undefined): RowOutcome {
  if (verdict === 'conflict') return { index, state: 'rejected', ...CONFLICT };
  if (verdict === 'unknown') return { index, state: 'rejected', ...UNKNOWN };
  if (verdict === 'busy') return { index, state: 'busy' };
  const { state, code, message, batchId, requestId } = record ?? {};
  if (state === 'refused') return { index, state: 'rejected', code, message, batchId, requestId };
  if (state === 'unknown') return { index, state: 'unknown', code, message, batchId, requestId };
  return { index, state: 'done before', batchId };
}

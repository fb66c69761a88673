import type { ReportOncePorts } from '../../commands/use-cases/report-once.ts';
import type { OrderCommand, RowOutcome } from '../model.ts';
import { rejectionOfOrder } from '../rules/order-rejection.ts';
import { CONFLICT, turnedAwayBefore, UNKNOWN } from '../rules/turned-away.ts';
import type { ClaimedRow } from './claim-orders.ts';
import { reportRows } from './report-rows.ts';

/**
 * Says what becomes of the rows that are not sent, and rejects those that another command stands in the way of.
 */
export async function reportUnsent(
  ports: ReportOncePorts,
  command: OrderCommand,
  unsent: readonly ClaimedRow[],
): Promise<RowOutcome[]> {
  const outcomes = unsent.map((claim) => outcomeOf(claim, command));
  await reportRejectedRows(ports, command, outcomes);
  return outcomes;
}

/** Keeps and tells of the rows that are rejected; its batch does so for a dropoff that the marketplace skipped. */
export async function reportRejectedRows(
  ports: ReportOncePorts,
  command: OrderCommand,
  outcomes: readonly RowOutcome[],
): Promise<void> {
  const rejections = outcomes.flatMap(({ index, state, code, message = '', batchId, requestId }) => {
    if (state !== 'rejected' || code === undefined || batchId !== undefined) return [];
    return [rejectionOfOrder(command, { index, item: command.items[index] }, { code, message, requestId })];
  });
  await reportRows(ports, command, rejections);
}

function outcomeOf({ row, verdict, order }: ClaimedRow, { action, commandId }: OrderCommand): RowOutcome {
  const { index, item } = row;
  const record = order?.[action];
  if (verdict === 'conflict') return { index, state: 'rejected', ...CONFLICT };
  if (verdict === 'unknown') return { index, state: 'rejected', ...UNKNOWN };
  if (verdict === 'busy' || record === undefined) return { index, state: 'busy' };
  if (verdict === 'turned away') {
    const { code, message } = turnedAwayBefore(record, { commandId, decision: item.decision }) ?? CONFLICT;
    return { index, state: 'rejected', code, message };
  }
  const { state, code, message, batchId, requestId, refused = false } = record;
  if (state === 'done' || state === 'sending') return { index, state: 'done before', batchId };
  const isRefusal = state === 'refused' || (refused && record.commandId === commandId);
  return { index, state: isRefusal ? 'rejected' : 'unknown', code, message, batchId, requestId };
}

import type { AttemptTable } from '../../attempts/ports.ts';
import type { EventPublisher } from '../../events/ports.ts';
import type { OrderResult, RowOutcome } from '../model.ts';
import type { OrderTable } from '../ports.ts';
import type { ActionOutcome } from '../rules/claim.ts';
import { batchIdOf, rowOutcomes } from '../rules/row-outcomes.ts';
import { announceOutcomes } from './announce-outcomes.ts';
import { endOrders, type SettledAttempt } from './end-orders.ts';
import { linkOrders } from './link-orders.ts';
import { type RecordDropoffsPorts, recordDropoffs } from './record-dropoffs.ts';

export interface SettleResultPorts extends RecordDropoffsPorts {
  readonly orders: OrderTable;
  readonly events: EventPublisher;
  readonly attempts: Pick<AttemptTable, 'close'>;
}

/**
 * Does all that follows from how a request ended: its batch, each order's outcome, the two names of an order that it
 * shows to be one, and the events that tell of them. It may be done again from its beginning: nothing is there twice
 * but an event.
 */
export async function settleResult(
  ports: SettleResultPorts,
  attempt: SettledAttempt,
  result: OrderResult,
): Promise<RowOutcome[]> {
  const { command, attemptId, rows } = attempt;
  const sent = rows.map(({ item }) => item);
  const batchId = batchIdOf(command.action, attemptId, result);
  if ('answer' in result && batchId !== undefined) {
    await recordDropoffs(ports, attempt, batchId, result.answer);
  }
  const outcomes = rowOutcomes(sent, result, batchId);
  await endOrders(ports, attempt, (position) => outcomes[position] ?? { state: 'unknown' });
  if ('answer' in result) await linkOrders(ports, attempt, result.answer);
  await announceOutcomes(ports, attempt, outcomes);
  await ports.attempts.close(attemptId, 'answer' in result ? 'answered' : 'unknown', batchId);
  return rows.map(({ index }, position) => rowOutcome(index, outcomes[position]));
}

/** What became of a row, by the outcome of its order. */
export function rowOutcome(index: number, outcome: ActionOutcome | undefined): RowOutcome {
  const { state = 'unknown', ...facts } = outcome ?? {};
  if (state === 'refused') return { index, ...facts, state: 'rejected' };
  return { index, ...facts, state: state === 'unknown' ? 'unknown' : 'done' };
}

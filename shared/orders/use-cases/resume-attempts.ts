import type { Attempt } from '../../attempts/model.ts';
import type { AttemptTable } from '../../attempts/ports.ts';
import type { OrderCommand, OrderRow, RowOutcome } from '../model.ts';
import { LOST, notedResult } from '../rules/abandoned.ts';
import { ownAttempt } from '../rules/claim.ts';
import { orderKeyOf } from '../rules/order-key.ts';
import { batchIdOf, rowOutcomes } from '../rules/row-outcomes.ts';
import type { ClaimedRow } from './claim-orders.ts';
import { reportUnknown } from './report-unknown.ts';
import { rowOutcome, type SettleResultPorts, settleResult } from './settle-result.ts';

export interface ResumeAttemptsPorts extends SettleResultPorts {
  readonly attempts: Pick<AttemptTable, 'get' | 'close'>;
}

export interface Resumed {
  /** Rows whose order may stand otherwise now. */
  readonly changed: readonly ClaimedRow[];
  /** Of rows that had their try before another command took their place at the order. */
  readonly outcomes: readonly RowOutcome[];
}

/**
 * Does what an earlier delivery of the same command left undone: settles the attempts whose outcome it noted, and tells
 * of those that it lost.
 */
export async function resumeAttempts(
  ports: ResumeAttemptsPorts,
  command: OrderCommand,
  claims: readonly ClaimedRow[],
): Promise<Resumed> {
  const changed: ClaimedRow[] = [];
  const outcomes: RowOutcome[] = [];
  for (const [attemptId, held] of Map.groupBy(claims, (claim) => attemptOf(claim, command))) {
    const attempt = attemptId === undefined ? undefined : await ports.attempts.get(attemptId);
    if (attempt === undefined) continue;
    const told = await resumeAttempt(ports, command, attempt, held);
    for (const claim of held) {
      const { index } = claim.row;
      if (claim.order?.[command.action]?.attemptId === attemptId) changed.push(claim);
      else outcomes.push(told.find((one) => one.index === index) ?? { index, state: 'unknown', ...LOST });
    }
  }
  return { changed, outcomes };
}

/** The attempt that an earlier delivery made for a row. */
function attemptOf({ order, verdict }: ClaimedRow, { action, commandId }: OrderCommand): string | undefined {
  const record = order?.[action];
  if (record === undefined || (verdict !== 'settled' && verdict !== 'busy')) return undefined;
  return record.commandId === commandId ? record.attemptId : ownAttempt(record, commandId);
}

/** @returns what is known of the attempt's rows. */
async function resumeAttempt(
  ports: ResumeAttemptsPorts,
  command: OrderCommand,
  attempt: Attempt,
  held: readonly ClaimedRow[],
): Promise<RowOutcome[]> {
  const { attemptId, state } = attempt;
  const result = notedResult(attempt);
  const rows = rowsOf(attempt, held);
  if (state === 'sent' && result) return settleResult(ports, { command, attemptId, rows }, result);
  if (state === 'sent') await tellLost(ports, command, attempt, held);
  if (result === undefined) return [];
  const outcomes = rowOutcomes(attempt.rows, result, batchIdOf(command.action, attemptId, result));
  return rows.map(({ index }, position) => rowOutcome(index, outcomes[position]));
}

/** Not before every order of the attempt has ended: one that did may still be told of by its sender. */
async function tellLost(
  ports: ResumeAttemptsPorts,
  command: OrderCommand,
  { attemptId }: Attempt,
  held: readonly ClaimedRow[],
): Promise<void> {
  const records = held.map(({ order }) => order?.[command.action]);
  if (records.some((record) => record?.state === 'sending' && record.attemptId === attemptId)) return;
  const lost = held.filter((_, position) => {
    const record = records[position];
    return record?.attemptId !== attemptId || record.state === 'unknown';
  });
  await reportUnknown(
    ports,
    command,
    lost.map(({ row }) => row.item),
    LOST,
  );
  await ports.attempts.close(attemptId, 'unknown');
}

/** The command's rows in the order in which they were sent. */
function rowsOf(attempt: Attempt, held: readonly ClaimedRow[]): OrderRow[] {
  const rows = new Map(held.map(({ row }) => [orderKeyOf(row.item), row]));
  return attempt.rows.map((sent) => rows.get(orderKeyOf(sent)) ?? { index: sent.rowIndex, item: sent });
}

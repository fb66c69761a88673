import type { Attempt } from '../../attempts/model.ts';
import type { AttemptTable } from '../../attempts/ports.ts';
import type { ReportOncePorts } from '../../commands/use-cases/report-once.ts';
import type { OrderCommand, OrderRow, RowOutcome } from '../model.ts';
import { LOST, notedResult } from '../rules/abandoned.ts';
import { maySenderLive, ownAttempt } from '../rules/claim.ts';
import { orderKeyOf } from '../rules/order-key.ts';
import { batchIdOf, rowOutcomes } from '../rules/row-outcomes.ts';
import type { ClaimedRow } from './claim-orders.ts';
import { reportUnknown } from './report-unknown.ts';
import { reportUnsent } from './report-unsent.ts';
import { rowOutcome, type SettleResultPorts, settleResult } from './settle-result.ts';

export interface ResumeAttemptsPorts extends SettleResultPorts, ReportOncePorts {
  readonly events: SettleResultPorts['events'];
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
    if (attemptId === undefined) continue;
    const attempt = await ports.attempts.get(attemptId);
    const replaced = held.filter((claim) => isReplaced(claim, command, attemptId));
    const isOpen =
      attempt === undefined || (attempt.state !== 'answered' && notedResult(attempt) === undefined);
    if (isOpen && replaced.some((claim) => isAtWork(ports, claim, command))) {
      outcomes.push(...replaced.map(({ row: { index } }): RowOutcome => ({ index, state: 'busy' })));
      continue;
    }
    if (attempt === undefined || attempt.state === 'refused') {
      outcomes.push(...(await reportUnsent(ports, command, replaced.map(turnedAway(command)))));
      continue;
    }
    // Its sender may end it at any moment, and may not come to tell of it: then a later delivery does.
    const isOnItsWay = isOpen && held.some((claim) => isSending(claim, command, attemptId));
    const told = isOnItsWay ? [] : await resumeAttempt(ports, command, attempt, held);
    if (!isOnItsWay) changed.push(...held.filter((claim) => !replaced.includes(claim)));
    for (const { row } of replaced) {
      const lost = { index: row.index, state: 'unknown', ...LOST } as const;
      outcomes.push(told.find(({ index }) => index === row.index) ?? lost);
    }
  }
  return { changed, outcomes };
}

/** Whether another command took the row's place, and has not done what the row asks for. */
function isReplaced({ order, row }: ClaimedRow, { action }: OrderCommand, attemptId: string): boolean {
  const record = order?.[action];
  if (record === undefined || record.attemptId === attemptId) return false;
  return record.state !== 'done' || record.decision !== row.item.decision;
}

/** Whether the row's attempt has not ended yet: whoever made it may still tell of it. */
function isSending({ order }: ClaimedRow, { action }: OrderCommand, attemptId: string): boolean {
  const record = order?.[action];
  return record?.attemptId === attemptId && record.state === 'sending';
}

/** Whether the other delivery of the command that made the row's attempt may still go on with it. */
function isAtWork(
  { clock }: Pick<ResumeAttemptsPorts, 'clock'>,
  { order }: ClaimedRow,
  { action, commandId }: OrderCommand,
): boolean {
  const record = order?.[action];
  const attempt = record && ownAttempt(record, commandId);
  return attempt !== undefined && maySenderLive(attempt, clock.now());
}

/** A row whose attempt had no effect, and that another command stands in the way of now. */
function turnedAway({ action }: OrderCommand): (claim: ClaimedRow) => ClaimedRow {
  return (claim) => {
    const isSame = claim.order?.[action]?.decision === claim.row.item.decision;
    return { ...claim, verdict: isSame ? 'unknown' : 'conflict' };
  };
}

/** The attempt that an earlier delivery made for a row. */
function attemptOf({ order, verdict }: ClaimedRow, { action, commandId }: OrderCommand): string | undefined {
  const record = order?.[action];
  if (record === undefined || (verdict !== 'settled' && verdict !== 'busy')) return undefined;
  return record.commandId === commandId ? record.attemptId : ownAttempt(record, commandId)?.attemptId;
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

/** Tells of the orders of which nobody can tell, once every order of the attempt has ended. */
async function tellLost(
  ports: ResumeAttemptsPorts,
  command: OrderCommand,
  { attemptId }: Attempt,
  held: readonly ClaimedRow[],
): Promise<void> {
  const isUnknown = ({ order }: ClaimedRow) => {
    const record = order?.[command.action];
    return record?.attemptId === attemptId && record.state === 'unknown';
  };
  const lost = held.filter((claim) => isUnknown(claim) || isReplaced(claim, command, attemptId));
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

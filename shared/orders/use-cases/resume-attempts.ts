import type { Attempt } from '../../attempts/model.ts';
import type { AttemptTable } from '../../attempts/ports.ts';
import type { OrderCommand, OrderRow } from '../model.ts';
import { LOST, notedResult } from '../rules/abandoned.ts';
import { orderKeyOf } from '../rules/order-key.ts';
import type { ClaimedRow } from './claim-orders.ts';
import { reportUnknown } from './report-unknown.ts';
import { type SettleResultPorts, settleResult } from './settle-result.ts';

export interface ResumeAttemptsPorts extends SettleResultPorts {
  readonly attempts: Pick<AttemptTable, 'get' | 'close'>;
}

/**
 * Does what an earlier delivery of the same command left undone: settles the attempts whose outcome it noted, and tells
 * of those that it lost.
 *
 * @returns the rows whose order may stand otherwise now.
 */
export async function resumeAttempts(
  ports: ResumeAttemptsPorts,
  command: OrderCommand,
  claims: readonly ClaimedRow[],
): Promise<ClaimedRow[]> {
  const own = claims.filter(
    ({ order, verdict }) =>
      order?.[command.action]?.commandId === command.commandId &&
      (verdict === 'settled' || verdict === 'busy'),
  );
  const changed: ClaimedRow[] = [];
  for (const [attemptId, held] of Map.groupBy(own, ({ order }) => order?.[command.action]?.attemptId)) {
    const attempt = attemptId === undefined ? undefined : await ports.attempts.get(attemptId);
    if (attempt?.state !== 'sent') continue;
    const result = notedResult(attempt);
    if (result === undefined) {
      await tellLost(ports, command, attempt, held);
    } else {
      await settleResult(
        ports,
        { command, attemptId: attempt.attemptId, rows: rowsOf(attempt, held) },
        result,
      );
      changed.push(...held);
    }
  }
  return changed;
}

/** Not before every order of the attempt has ended: one that did may still be told of by its sender. */
async function tellLost(
  ports: ResumeAttemptsPorts,
  command: OrderCommand,
  { attemptId }: Attempt,
  held: readonly ClaimedRow[],
): Promise<void> {
  const states = held.map(({ order }) => order?.[command.action]?.state);
  if (states.includes('sending')) return;
  const lost = held.filter((_, position) => states[position] === 'unknown').map(({ row }) => row.item);
  await reportUnknown(ports, command, lost, LOST);
  await ports.attempts.close(attemptId, 'unknown');
}

/** The command's rows in the order in which they were sent. */
function rowsOf(attempt: Attempt, held: readonly ClaimedRow[]): OrderRow[] {
  const rows = new Map(held.map(({ row }) => [orderKeyOf(row.item), row]));
  return attempt.rows.map((sent) => rows.get(orderKeyOf(sent)) ?? { index: sent.rowIndex, item: sent });
}

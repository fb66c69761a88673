import type { MarketplaceError } from '../../marketplace/errors.ts';
import {
  type ReportRejectionsPorts,
  reportRejections,
} from '../../rejections/use-cases/report-rejections.ts';
import type { StoreCredentials } from '../../stores/model.ts';
import type { OrderCommand, OrderRow, RowOutcome } from '../model.ts';
import { rejectionOfOrder } from '../rules/order-rejection.ts';
import { skippedByRefusal } from '../rules/refusal.ts';
import { type AttemptOrdersPorts, attemptOrders, type OrderAttempt } from './attempt-orders.ts';
import { type ClaimedRow, type ClaimOrdersPorts, claimOrders } from './claim-orders.ts';
import { endOrders } from './end-orders.ts';
import { reportUnknown } from './report-unknown.ts';
import { type SettleAnswerPorts, settleAnswer } from './settle-answer.ts';

export interface SendOrdersPorts
  extends ReportRejectionsPorts,
    ClaimOrdersPorts,
    AttemptOrdersPorts,
    SettleAnswerPorts {
  readonly attempts: AttemptOrdersPorts['attempts'];
  readonly clock: AttemptOrdersPorts['clock'];
  readonly newId: () => string;
}

/**
 * Sends the orders of one request, as far as nobody decided them before and nobody is about to. A request that is
 * refused as a whole is halved, down to the order at fault.
 *
 * @returns what became of each row.
 * @throws {MarketplaceError} when the orders are to be sent by a later delivery, or the store's credentials are refused.
 */
export async function sendOrders(
  ports: SendOrdersPorts,
  command: OrderCommand,
  store: StoreCredentials,
  rows: readonly OrderRow[],
): Promise<RowOutcome[]> {
  const attemptId = ports.newId();
  const claims = await claimOrders(ports, command, rows, attemptId);
  const claimed = claims.filter(({ verdict }) => verdict === 'claimed').map(({ row }) => row);
  const others = claims.filter(({ verdict }) => verdict !== 'claimed');
  await reportOthers(ports, command, others);
  const outcomes = others.map(outcomeOfClaim);
  if (claimed.length === 0) return outcomes;
  return [...outcomes, ...(await sendClaimed(ports, { command, store, attemptId, rows: claimed }))];
}

async function sendClaimed(ports: SendOrdersPorts, attempt: OrderAttempt): Promise<RowOutcome[]> {
  const result = await attemptOrders(ports, attempt).catch(async (error: unknown) => {
    await endOrders(ports, attempt, () => ({ state: 'withdrawn' }));
    throw error;
  });
  if ('unknown' in result) return settleUnknown(ports, attempt, result.unknown);
  if ('refusal' in result) return settleRefusal(ports, attempt, result.refusal);
  const outcomes = await settleAnswer(ports, attempt, result.answer);
  await ports.attempts.close(attempt.attemptId, 'answered', result.answer.batchId);
  return outcomes;
}

async function settleUnknown(
  ports: SendOrdersPorts,
  attempt: OrderAttempt,
  { code, message, requestId }: MarketplaceError,
): Promise<RowOutcome[]> {
  const facts = { code, message, ...(requestId !== undefined && { requestId }) };
  await endOrders(ports, attempt, () => ({ state: 'unknown', ...facts }));
  await ports.attempts.close(attempt.attemptId, 'unknown');
  await reportUnknown(
    ports,
    attempt.command,
    attempt.rows.map(({ item }) => item),
    facts,
  );
  return attempt.rows.map(({ index }) => ({ index, state: 'unknown', ...facts }));
}

async function settleRefusal(
  ports: SendOrdersPorts,
  attempt: OrderAttempt,
  refusal: MarketplaceError,
): Promise<RowOutcome[]> {
  const { command, store, rows } = attempt;
  const skipped = skippedByRefusal(refusal);
  const { code, message, requestId } = refusal;
  if (skipped && skipped.length > 0) return settleAnswer(ports, attempt, { requestId, message, skipped });
  if (rows.length > 1) {
    await endOrders(ports, attempt, () => ({ state: 'withdrawn' }));
    const middle = Math.ceil(rows.length / 2);
    const first = await sendOrders(ports, command, store, rows.slice(0, middle));
    return [...first, ...(await sendOrders(ports, command, store, rows.slice(middle)))];
  }
  const facts = { code, message, ...(requestId !== undefined && { requestId }) };
  await endOrders(ports, attempt, () => ({ state: 'refused', ...facts }));
  await reportRejections(
    ports,
    rows.map((row) => rejectionOfOrder(command, row, facts)),
  );
  return rows.map(({ index }) => ({ index, state: 'rejected', ...facts }));
}

const CONFLICT = {
  code: 'ORDER_DECIDED_OTHERWISE',
  message: 'the other decision was sent for this order before',
};
const UNKNOWN = {
  code: 'ORDER_OUTCOME_UNKNOWN',
  message: 'it was sent for this order before, with an unknown outcome: resolve it, or ask for a retry',
};
const LOST = { code: 'ATTEMPT_ABANDONED', message: 'the sender ended before the answer' };

/** Rejects what is not sent for another command's sake; tells of what a lost attempt left unknown. */
async function reportOthers(
  ports: SendOrdersPorts,
  command: OrderCommand,
  others: readonly ClaimedRow[],
): Promise<void> {
  const rejections = others.flatMap(({ row, verdict }) => {
    if (verdict === 'conflict') return [rejectionOfOrder(command, row, CONFLICT)];
    return verdict === 'unknown' ? [rejectionOfOrder(command, row, UNKNOWN)] : [];
  });
  await reportRejections(ports, rejections);
  const lost = others.filter(({ verdict }) => verdict === 'lost').map(({ row }) => row.item);
  await reportUnknown(ports, command, lost, LOST);
}

function outcomeOfClaim({ row: { index }, verdict, batchId }: ClaimedRow): RowOutcome {
  switch (verdict) {
    case 'conflict':
      return { index, state: 'rejected', ...CONFLICT };
    case 'unknown':
      return { index, state: 'rejected', ...UNKNOWN };
    case 'lost':
      return { index, state: 'unknown', ...LOST };
    case 'busy':
      return { index, state: 'busy' };
    default:
      return { index, state: 'done before', batchId };
  }
}

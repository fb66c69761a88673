import type { RequestTime } from '../../commands/request-time.ts';
import type { ReportOncePorts } from '../../commands/use-cases/report-once.ts';
import type { MarketplaceError } from '../../marketplace/errors.ts';
import { boundedText } from '../../rejections/rules/bounded.ts';
import type { OrderCommand, RowOutcome } from '../model.ts';
import { rejectionOfOrder } from '../rules/order-rejection.ts';
import { type AttemptOrdersPorts, attemptOrders, type OrderAttempt } from './attempt-orders.ts';
import { type ClaimedRow, type ClaimOrdersPorts, claimOrders } from './claim-orders.ts';
import { endOrders } from './end-orders.ts';
import { reportRows } from './report-rows.ts';
import { reportUnsent } from './report-unsent.ts';
import { type ResumeAttemptsPorts, type Resumed, resumeAttempts } from './resume-attempts.ts';
import { settleResult } from './settle-result.ts';

export interface SendOrdersPorts
  extends ReportOncePorts,
    ClaimOrdersPorts,
    AttemptOrdersPorts,
    ResumeAttemptsPorts {
  readonly orders: ClaimOrdersPorts['orders'];
  readonly events: ClaimOrdersPorts['events'];
  readonly attempts: AttemptOrdersPorts['attempts'];
  readonly clock: AttemptOrdersPorts['clock'];
  readonly newId: () => string;
}

/** Orders that go out together as long as there is time for a request. */
export interface OrdersToSend extends Omit<OrderAttempt, 'attemptId'> {
  readonly time: RequestTime;
}

/**
 * Sends the orders of one request, as far as nobody decided them before and nobody is about to. A request that is
 * refused as a whole is halved, down to the order at fault.
 *
 * @returns what became of each row.
 * @throws {MarketplaceError} when the orders are to be sent by a later delivery, or the store's credentials are refused.
 */
export async function sendOrders(ports: SendOrdersPorts, request: OrdersToSend): Promise<RowOutcome[]> {
  const { command, rows, time } = request;
  if (time.isOver) return rows.map(({ index }) => ({ index, state: 'left' }));
  const attemptId = ports.newId();
  const first = await claimOrders(ports, command, rows, attemptId);
  const resumed = await resumeAttempts(ports, command, first);
  const claims = await claimAgain(ports, command, attemptId, first, resumed);
  const claimed = claims.filter(({ verdict }) => verdict === 'claimed').map(({ row }) => row);
  const unsent = await reportUnsent(
    ports,
    command,
    claims.filter(({ verdict }) => verdict !== 'claimed'),
  );
  const outcomes = [...resumed.outcomes, ...unsent];
  if (claimed.length === 0) return outcomes;
  return [...outcomes, ...(await sendClaimed(ports, { ...request, attemptId, rows: claimed }))];
}

/** The claims that are left after an earlier delivery's attempts were resumed. */
async function claimAgain(
  ports: SendOrdersPorts,
  command: OrderCommand,
  attemptId: string,
  claims: readonly ClaimedRow[],
  { changed, outcomes }: Resumed,
): Promise<ClaimedRow[]> {
  const again = changed.map(({ row }) => row);
  const known = new Set(outcomes.map(({ index }) => index));
  const others = claims.filter(({ row }) => !again.includes(row) && !known.has(row.index));
  return [...others, ...(await claimOrders(ports, command, again, attemptId))];
}

async function sendClaimed(
  ports: SendOrdersPorts,
  attempt: OrdersToSend & OrderAttempt,
): Promise<RowOutcome[]> {
  const result = await attemptOrders(ports, attempt).catch(async (error: unknown) => {
    await endOrders(ports, attempt, () => ({ state: 'withdrawn' }));
    throw error;
  });
  if ('refusal' in result) return settleRefusal(ports, attempt, result.refusal);
  await ports.attempts.note(attempt.attemptId, result);
  attempt.time.gotOn();
  return settleResult(ports, attempt, result);
}

async function settleRefusal(
  ports: SendOrdersPorts,
  attempt: OrdersToSend & OrderAttempt,
  { code, message, requestId }: MarketplaceError,
): Promise<RowOutcome[]> {
  const { command, rows } = attempt;
  if (rows.length > 1) {
    await endOrders(ports, attempt, () => ({ state: 'withdrawn' }));
    const middle = Math.ceil(rows.length / 2);
    const first = await sendOrders(ports, { ...attempt, rows: rows.slice(0, middle) });
    return [...first, ...(await sendOrders(ports, { ...attempt, rows: rows.slice(middle) }))];
  }
  attempt.time.gotOn();
  const facts = { code, message: boundedText(message), ...(requestId !== undefined && { requestId }) };
  await endOrders(ports, attempt, () => ({ state: 'refused', ...facts }));
  await reportRows(
    ports,
    command,
    rows.map((row) => rejectionOfOrder(command, row, facts)),
  );
  return rows.map(({ index }) => ({ index, state: 'rejected', ...facts }));
}

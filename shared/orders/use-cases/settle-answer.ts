import type { RejectedRow } from '../../batches/model.ts';
import { rejectedRowOf } from '../../batches/rules/rejected-row.ts';
import type { AnnounceBatchPorts } from '../../batches/use-cases/announce-batch.ts';
import { recordSubmission } from '../../batches/use-cases/record-submission.ts';
import type { EventPublisher } from '../../events/ports.ts';
import type { RowError } from '../../marketplace/batch.ts';
import type { RowOutcome } from '../model.ts';
import type { OrderTable } from '../ports.ts';
import type { ActionOutcome } from '../rules/claim.ts';
import { matchSkipped, type SkippedRows } from '../rules/match-skipped.ts';
import { referenceOf } from '../rules/order-key.ts';
import type { OrderAnswer, OrderAttempt } from './attempt-orders.ts';
import { type EndOrdersPorts, endOrders } from './end-orders.ts';
import { linkOrder } from './link-order.ts';
import { reportUnknown } from './report-unknown.ts';

export interface SettleAnswerPorts extends AnnounceBatchPorts, EndOrdersPorts {
  readonly orders: OrderTable;
  readonly events: EventPublisher;
  /** How long a batch may stay open, in milliseconds. */
  readonly batchDeadlineMs: number;
}

/** Makes an answer durable: a batch of dropoffs, each order's outcome, and the events that tell of them. */
export async function settleAnswer(
  ports: SettleAnswerPorts,
  attempt: OrderAttempt,
  answer: OrderAnswer,
): Promise<RowOutcome[]> {
  const { command, rows } = attempt;
  const match = matchSkipped(
    rows.map(({ item }) => item),
    answer.skipped,
  );
  const { skipped, unclear } = match;
  // No summary can name a batch whose answer gave no ID: it is kept under our own.
  const batchId =
    command.action === 'dropoff' ? (answer.batchId ?? answer.requestId ?? attempt.attemptId) : undefined;
  if (batchId !== undefined) await recordDropoffs(ports, attempt, { batchId, answer, match });
  const facts = {
    ...(batchId !== undefined && { batchId }),
    ...(answer.requestId && { requestId: answer.requestId }),
  };
  const outcomes = rows.map((_, position): ActionOutcome => {
    const error = skipped.get(position);
    if (error) return { state: 'refused', ...facts, code: error.code, message: error.message ?? error.code };
    return unclear.has(position) ? { state: 'unknown', ...facts, ...UNCLEAR } : { state: 'done', ...facts };
  });
  await endOrders(ports, attempt, (_, position) => outcomes[position] ?? { state: 'done' });
  await linkOrders(ports, attempt, skipped);
  await announce(ports, attempt, outcomes);
  return rows.map(({ index }, position) => rowOutcome(index, outcomes[position]));
}

const UNCLEAR = { code: 'ROW_UNCLEAR', message: 'the answer does not say which of the orders it skipped' };

async function recordDropoffs(
  ports: SettleAnswerPorts,
  { command, attemptId, rows }: OrderAttempt,
  facts: { readonly batchId: string; readonly answer: OrderAnswer; readonly match: SkippedRows },
): Promise<void> {
  const { batchId, answer, match } = facts;
  const now = ports.clock.now();
  await recordSubmission(ports, {
    batchId,
    ...(answer.requestId !== undefined && { requestId: answer.requestId }),
    kind: 'dropoff',
    storeClientId: command.storeClientId,
    attemptId,
    commandId: command.commandId,
    submittedAt: new Date(now).toISOString(),
    deadlineAt: new Date(now + ports.batchDeadlineMs).toISOString(),
    sentRows: rows.length,
    rejectedRows: [
      ...[...match.skipped].map(
        ([rowIndex, error]): RejectedRow => ({
          ...referenceOf(rows[rowIndex]?.item ?? {}),
          ...rejectedRowOf(error),
          rowIndex,
        }),
      ),
      ...match.strangers.map(rejectedRowOf),
    ],
    endsBy: 'answer',
  });
}

/** A skipped row that was sent by its invoice number and comes back with its order ID shows that they are one. */
async function linkOrders(
  { orders }: SettleAnswerPorts,
  { command, rows }: OrderAttempt,
  skipped: ReadonlyMap<number, RowError>,
): Promise<void> {
  for (const [position, { orderId }] of skipped) {
    const invoiceNumber = rows[position]?.item.invoiceNumber;
    if (orderId === undefined || invoiceNumber === undefined) continue;
    await linkOrder(orders, command.storeClientId, { orderId, invoiceNumber });
  }
}

async function announce(
  ports: SettleAnswerPorts,
  attempt: OrderAttempt,
  outcomes: readonly ActionOutcome[],
): Promise<void> {
  const { command, rows } = attempt;
  const { storeClientId, commandId } = command;
  const inState = (state: ActionOutcome['state']) =>
    rows.filter((_, position) => outcomes[position]?.state === state).map(({ item }) => item);
  const decided = inState('done').flatMap((item) =>
    item.decision === undefined ? [] : [{ ...referenceOf(item), decision: item.decision }],
  );
  if (decided.length > 0) {
    await ports.events.publish([
      { detailType: 'orders.decided', detail: { storeClientId, commandId, orders: decided } },
    ]);
  }
  await reportUnknown(ports, command, inState('unknown'), UNCLEAR);
}

function rowOutcome(index: number, outcome: ActionOutcome | undefined): RowOutcome {
  const { state = 'done', ...facts } = outcome ?? {};
  if (state === 'refused') return { index, ...facts, state: 'rejected' };
  return { index, ...facts, state: state === 'unknown' ? 'unknown' : 'done' };
}

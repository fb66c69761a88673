import type { RejectedRow } from '../../batches/model.ts';
import { rejectedRowOf } from '../../batches/rules/rejected-row.ts';
import type { AnnounceBatchPorts } from '../../batches/use-cases/announce-batch.ts';
import { recordSubmission } from '../../batches/use-cases/record-submission.ts';
import type { OrderAnswer } from '../model.ts';
import type { OrderTable } from '../ports.ts';
import { matchSkipped, type SkippedRows } from '../rules/match-skipped.ts';
import { referenceOf } from '../rules/order-key.ts';
import type { EndOrdersPorts, SettledAttempt } from './end-orders.ts';
import { linkOrder } from './link-order.ts';

export interface RecordAnswerPorts extends AnnounceBatchPorts, EndOrdersPorts {
  readonly orders: OrderTable;
  /** How long a batch may stay open, in milliseconds. */
  readonly batchDeadlineMs: number;
}

interface AnswerFacts {
  /** The batch that the request began, if any. */
  readonly batchId: string | undefined;
  readonly answer: OrderAnswer;
}

/** Keeps what an answer tells besides each order's outcome: a batch of dropoffs, and names that are one order's. */
export async function recordAnswer(
  ports: RecordAnswerPorts,
  attempt: SettledAttempt,
  { batchId, answer }: AnswerFacts,
): Promise<void> {
  const match = matchSkipped(
    attempt.rows.map(({ item }) => item),
    answer.skipped,
  );
  if (batchId !== undefined) await recordDropoffs(ports, attempt, { batchId, answer, match });
  await linkOrders(ports, attempt, match);
}

async function recordDropoffs(
  ports: RecordAnswerPorts,
  { command, attemptId, rows }: SettledAttempt,
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

/**
 * A skipped row that was sent by its invoice number and comes back with its order ID shows that they are one. Known
 * before the order's outcome is: whoever finds that finds the order under both names.
 */
async function linkOrders(
  { orders }: RecordAnswerPorts,
  { command, rows }: SettledAttempt,
  { skipped }: SkippedRows,
): Promise<void> {
  for (const [position, { orderId }] of skipped) {
    const invoiceNumber = rows[position]?.item.invoiceNumber;
    if (orderId === undefined || invoiceNumber === undefined) continue;
    await linkOrder(orders, command.storeClientId, { orderId, invoiceNumber });
  }
}

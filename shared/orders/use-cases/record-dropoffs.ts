import type { RejectedRow } from '../../batches/model.ts';
import { rejectedRowOf } from '../../batches/rules/rejected-row.ts';
import type { AnnounceBatchPorts } from '../../batches/use-cases/announce-batch.ts';
import { recordSubmission } from '../../batches/use-cases/record-submission.ts';
import type { OrderAnswer } from '../model.ts';
import { matchSkipped } from '../rules/match-skipped.ts';
import { referenceOf } from '../rules/order-key.ts';
import type { SettledAttempt } from './end-orders.ts';

export interface RecordDropoffsPorts extends AnnounceBatchPorts {
  readonly clock: { now(): number };
  /** How long a batch may stay open, in milliseconds. */
  readonly batchDeadlineMs: number;
}

/** Keeps the batch that dropoffs began, with the rows that the marketplace skipped. */
export async function recordDropoffs(
  ports: RecordDropoffsPorts,
  { command, attemptId, rows }: SettledAttempt,
  batchId: string,
  answer: OrderAnswer,
): Promise<void> {
  const match = matchSkipped(
    rows.map(({ item }) => item),
    answer.skipped,
  );
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

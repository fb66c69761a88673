import { answeredRows } from '../../batches/rules/report.ts';
import { type RecordBatchPorts, recordSubmission } from '../../batches/use-cases/record-batch.ts';
import type { OrderAnswer } from '../model.ts';
import { referenceOf } from '../rules/order-key.ts';
import type { SettledAttempt } from './end-orders.ts';

export interface RecordDropoffsPorts extends RecordBatchPorts {
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
  const sent = rows.map(({ item }) => referenceOf(item));
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
    ...answeredRows(sent, { summary: {}, acceptedRows: [], errors: [...answer.skipped] }),
    names: sent,
    endsBy: 'answer',
  });
}

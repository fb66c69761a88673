import type { BatchRecord, Submission } from '../model.ts';
import { withSubmission } from '../rules/take-fact.ts';
import { type AnnounceBatchPorts, announceBatch } from './announce-batch.ts';

/**
 * Records what the answer to an ASYNC call began, under the marketplace's `batchId`, and announces it. A final summary
 * that came before its answer is found there and ends the batch at once.
 */
export async function recordSubmission(
  ports: AnnounceBatchPorts,
  submission: Submission,
): Promise<BatchRecord> {
  const record = await ports.batches.update(submission.batchId, (current) =>
    withSubmission(current, submission),
  );
  if (record === undefined) throw new RangeError(`batch ${submission.batchId} was not stored`);
  await announceBatch(ports, record);
  return record;
}

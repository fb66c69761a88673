import { type BatchRecord, creationOf, type Submission } from '../model.ts';
import type { BatchTable } from '../ports.ts';
import { rowsKeyOf, withLostBatch, withRequest, withSummary } from '../rules/sent-rows.ts';

/** Batches and summaries find each other here by their products. Each records itself before it looks for the other. */
type SentRowsTable = Pick<BatchTable, 'updateSentRows'>;

/** Records that a request with these products is about to be sent. If a second request has the same products, they identify no batch. */
export async function noteRequest(
  batches: SentRowsTable,
  { recordId, storeClientId, rows }: { recordId: string; storeClientId: string; rows: Submission['names'] },
): Promise<void> {
  const key = rowsKeyOf(storeClientId, rows ?? []);
  if (key !== undefined) await batches.updateSentRows(key, (current) => withRequest(current, recordId));
}

/**
 * The batch of an unmatched summary, by its products. Found only if a single request with these products was sent before the summary
 * came, and if a try of it may have begun a batch whose IDs no answer brought. A batch that is recorded later finds the summary
 * itself.
 *
 * @param rowsKey see `rowsKeyOf`.
 */
export async function batchOfRows(
  batches: SentRowsTable,
  rowsKey: string | undefined,
  summaryId: string,
): Promise<string | undefined> {
  if (rowsKey === undefined) return undefined;
  const sent = await batches.updateSentRows(rowsKey, (current) => withSummary(current, summaryId));
  return sent?.summaryIds.includes(summaryId) ? sent.lostBatchId : undefined;
}

/** IDs of the unmatched summaries of a batch, by its products. Later summaries find the batch. */
export async function summariesOfRows(
  batches: SentRowsTable,
  { submission }: BatchRecord,
): Promise<readonly string[]> {
  if (submission === undefined || !mayHaveOtherIds(submission)) return [];
  const { storeClientId, names = [] } = submission;
  const key = rowsKeyOf(storeClientId, names);
  if (key === undefined) return [];
  const sent = await batches.updateSentRows(key, (current) => withLostBatch(current, submission));
  return sent?.recordId === submission.attemptId ? sent.summaryIds : [];
}

/** Whether a try may have begun a batch whose IDs no answer brought. */
function mayHaveOtherIds({ kind, batchId, attemptId, uncertain }: Submission): boolean {
  return creationOf(kind) !== undefined && (uncertain === true || batchId === attemptId);
}

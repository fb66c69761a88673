import type { FinalSummary } from '../model.ts';
import type { BatchTable } from '../ports.ts';
import { isNamingRows, isSummaryOf, type LostNote } from '../rules/lost-answers.ts';

/**
 * The batch that a final summary without a known ID belongs to, by its store and its rows: an answer to the batch's request was
 * lost, and with it the IDs. `undefined` if none or several fit. Notes the summary, for a batch that is recorded later.
 *
 * @param storedUnder the key of the summary's own record
 */
export async function batchByRows(
  batches: Pick<BatchTable, 'get' | 'noteLost'>,
  storedUnder: string,
  summary: FinalSummary,
): Promise<string | undefined> {
  const { storeClientId, receivedAt: at } = summary;
  if (storeClientId === undefined || !isNamingRows(summary)) return undefined;
  const notes = await batches.noteLost(storeClientId, { kind: 'summary', id: storedUnder, at });
  return onlyBatchOf(batches, notes, summary);
}

export async function onlyBatchOf(
  batches: Pick<BatchTable, 'get'>,
  notes: readonly LostNote[],
  summary: FinalSummary,
): Promise<string | undefined> {
  const fitting: string[] = [];
  for (const { kind, id } of notes) {
    if (kind !== 'batch') continue;
    const submission = (await batches.get(id))?.submission;
    if (submission !== undefined && isSummaryOf(submission, summary)) fitting.push(id);
  }
  return fitting.length === 1 ? fitting[0] : undefined;
}

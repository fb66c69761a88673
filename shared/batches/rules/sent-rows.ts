import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { RowNames } from '../../marketplace/row-outcomes.ts';

/** The request that was sent with these products of a store, and the batch and the summaries that look for each other by them. */
export const sentRowsSchema = z.object({
  /** The record of the first request. */
  recordId: z.string().min(1),
  /** Whether another request had the same products: then they do not tell whose a summary is. */
  isShared: z.boolean(),
  /** The batch of the request, if a try of it may have begun one whose IDs no answer brought. */
  lostBatchId: z.string().min(1).optional(),
  /** Records of final summaries about these products whose IDs name no batch. They came before another request had the same. */
  summaryIds: z.array(z.string().min(1)),
});
export type SentRows = z.infer<typeof sentRowsSchema>;

/** Most summaries that are kept: more than a request has tries without an answer. */
const MOST_SUMMARIES = 20;

/** The key of these products of a store, in any order; `undefined` unless each has another externalId. */
export function rowsKeyOf(storeClientId: string, rows: readonly RowNames[]): string | undefined {
  const externalIds = new Set(rows.flatMap(({ externalId }) => externalId?.toLowerCase() ?? []));
  if (rows.length === 0 || externalIds.size < rows.length) return undefined;
  const named = JSON.stringify([storeClientId, ...[...externalIds].sort()]);
  return createHash('sha256').update(named).digest('hex');
}

/** With a request that is about to be sent. */
export function withRequest(current: SentRows | undefined, recordId: string): SentRows | undefined {
  if (current === undefined) return { recordId, isShared: false, summaryIds: [] };
  return current.isShared || current.recordId === recordId ? undefined : { ...current, isShared: true };
}

/** With the batch of a request, to be found by summaries that come later. */
export function withLostBatch(
  current: SentRows | undefined,
  { attemptId, batchId }: { readonly attemptId: string; readonly batchId: string },
): SentRows | undefined {
  if (current?.recordId !== attemptId || current.lostBatchId === batchId) return undefined;
  return { ...current, lostBatchId: batchId };
}

/** With the record of an unmatched summary, to be found by a batch that is recorded later. */
export function withSummary(current: SentRows | undefined, summaryId: string): SentRows | undefined {
  if (current === undefined || current.isShared || current.summaryIds.includes(summaryId)) return undefined;
  if (current.summaryIds.length >= MOST_SUMMARIES) return undefined;
  return { ...current, summaryIds: [...current.summaryIds, summaryId] };
}

import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { RowNames } from '../../marketplace/row-outcomes.ts';

/** One set of products of a store: the request that was sent with it, and the batch and summaries that find each other by it. */
export const sentRowsSchema = z.object({
  /** The record of the first request. */
  recordId: z.string().min(1),
  /** Whether another request had the same products. If so, the products do not show to which request a summary belongs. */
  isShared: z.boolean(),
  /** The batch of the request. Present only if some try may have begun a batch whose IDs no answer brought. */
  lostBatchId: z.string().min(1).optional(),
  /** Records of final summaries about these products whose IDs name no batch. None is added once `isShared` is set. */
  summaryIds: z.array(z.string().min(1)),
});
export type SentRows = z.infer<typeof sentRowsSchema>;

/** Most summaries that are kept. A request has fewer tries without an answer. */
const MOST_SUMMARIES = 20;

/** The key of these products of a store, in any order; `undefined` unless all of them have externalIds and these differ. */
export function rowsKeyOf(storeClientId: string, rows: readonly RowNames[]): string | undefined {
  const externalIds = new Set(rows.flatMap(({ externalId }) => externalId?.toLowerCase() ?? []));
  if (rows.length === 0 || externalIds.size < rows.length) return undefined;
  const named = JSON.stringify([storeClientId, ...[...externalIds].sort()]);
  return createHash('sha256').update(named).digest('hex');
}

/** Adds a request that is about to be sent; `undefined` if nothing changes. */
export function withRequest(current: SentRows | undefined, recordId: string): SentRows | undefined {
  if (current === undefined) return { recordId, isShared: false, summaryIds: [] };
  return current.isShared || current.recordId === recordId ? undefined : { ...current, isShared: true };
}

/** Adds the batch of a request, so that later summaries find it; `undefined` if nothing changes. */
export function withLostBatch(
  current: SentRows | undefined,
  { attemptId, batchId }: { readonly attemptId: string; readonly batchId: string },
): SentRows | undefined {
  if (current?.recordId !== attemptId || current.lostBatchId === batchId) return undefined;
  return { ...current, lostBatchId: batchId };
}

/** Adds the record of an unmatched summary, so that a batch that is recorded later finds it; `undefined` if nothing changes. */
export function withSummary(current: SentRows | undefined, summaryId: string): SentRows | undefined {
  if (current === undefined || current.isShared || current.summaryIds.includes(summaryId)) return undefined;
  if (current.summaryIds.length >= MOST_SUMMARIES) return undefined;
  return { ...current, summaryIds: [...current.summaryIds, summaryId] };
}

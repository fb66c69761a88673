import type { FinalSummary, Resolution, Submission } from '../../../shared/batches/model.ts';
import type { BatchTable } from '../../../shared/batches/ports.ts';
import { withUnknownRows } from '../../../shared/batches/rules/batch-record.ts';

/** A batch as the HTTP API shows it. */
export async function shown({ batches }: { batches: Pick<BatchTable, 'get'> }, batchId: string) {
  const batch = await batches.get(batchId);
  return batch && withUnknownRows(batch);
}

/** An open catalog batch of three rows, changed by `facts`. */
export function submission(facts: Partial<Submission> = {}): Submission {
  return {
    batchId: 'b-1',
    requestId: 'r-1',
    kind: 'catalog-sync',
    storeClientId: 's-1',
    attemptId: 'a-1',
    commandId: 'c-1',
    submittedAt: '2026-11-21T08:00:00.000Z',
    deadlineAt: '2026-11-21T08:15:00.000Z',
    sentRows: 3,
    rejectedRows: [],
    endsBy: 'summary',
    ...facts,
  };
}

/** A final summary that accepts all three rows, changed by `facts`. */
export function finalSummary(facts: Partial<FinalSummary> = {}): FinalSummary {
  return {
    requestId: 'r-1',
    storeClientId: 's-1',
    receivedAt: '2026-11-21T08:01:00.000Z',
    summary: { total: 3, failed: 0, pending: 0 },
    rejectedRows: [],
    archiveKey: 'webhooks/1.json',
    ...facts,
  };
}

/** A read-back that found all three rows, changed by `facts`. */
export function resolution(facts: Partial<Resolution> = {}): Resolution {
  return { resolvedAt: '2026-11-21T08:20:00.000Z', rejectedRows: [], unknownRows: [], ...facts };
}

/** A row that the marketplace rejects. */
export const rejected = (rowIndex: number, code = 'VAL_001') => ({ rowIndex, code, message: code });

/** A row that the marketplace rejects as retryable. */
export const refusedForNow = (rowIndex: number) => ({
  ...rejected(rowIndex, 'ROW_BUSY'),
  details: { retryable: true },
});

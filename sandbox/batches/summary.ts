import { isoTime } from '../clock.ts';
import type { Batch } from './batch.ts';

/** The body of the final summary of an applied batch; `time` is epoch milliseconds. */
export function finalSummary(batch: Batch, time: number): Record<string, unknown> {
  const { acceptedRows, errors } = batch.result ?? { acceptedRows: [], errors: [] };
  const { total } = batch;
  return {
    event: `${batch.kind}.completed`,
    batchId: batch.batchId,
    requestId: batch.requestId,
    storeClientId: batch.storeClientId,
    timestamp: isoTime(time),
    summary:
      batch.kind === 'order.dropoff'
        ? { total, accepted: acceptedRows.length, skipped: errors.length }
        : { total, failed: errors.length, pending: 0 },
    acceptedRows,
    errors,
  };
}

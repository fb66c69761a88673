import { type Answer, enveloped } from '../api/answers.ts';
import type { Batch } from '../batches/batch.ts';

/** The immediate answer of an ASYNC call on products, prices or stock (§4.5, 4.8, 4.9). */
export function batchAnswered(message: string, batch: Batch): Answer {
  const data = {
    batchId: batch.batchId,
    summary: { total: batch.total, failed: batch.errors.length, pending: batch.pending.length },
    acceptedRows: batch.pending.map(({ accepted }) => accepted),
    errors: batch.errors,
  };
  return enveloped(message, data, { dispatch: batch.pending.length > 0 });
}

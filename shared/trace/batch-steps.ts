import type { BatchRecord, RejectedRow } from '../batches/model.ts';
import { definedOf } from '../collections/defined-of.ts';
import { rowNamesSchema } from '../events/outgoing.ts';
import type { TraceStep } from './model.ts';

/** Most rejected rows in a trace; the batch has all of them. */
const MOST_REJECTED = 100;

/**
 * The steps of a batch from its submission to its end.
 *
 * @param isOwn selects rejected rows. Default: all.
 */
export function stepsOfBatch(
  batch: BatchRecord,
  isOwn: (row: RejectedRow) => boolean = () => true,
): TraceStep[] {
  const { batchId, requestId, submission, finalSummary, resolution, completedAt, state, rows } = batch;
  const { storeClientId = '-', deadlineAt, submittedAt } = batch;
  const ids = { storeClientId, batchId, ...definedOf({ requestId }) };
  const steps: TraceStep[] = [];
  if (submission !== undefined) {
    const open = {
      outcome: 'open',
      message: `the sweeper reads it back after ${deadlineAt}, unless a summary ends it`,
    };
    const { sent } = rows;
    steps.push({
      at: submittedAt,
      what: 'batch.submitted',
      ...ids,
      rows: { sent },
      ...(state === 'submitted' && open),
    });
  }
  if (finalSummary !== undefined) {
    steps.push({
      at: finalSummary.receivedAt,
      what: 'summary.received',
      ...ids,
      ...(submission === undefined && { outcome: state }),
    });
  }
  if (resolution !== undefined) steps.push({ at: resolution.resolvedAt, what: 'batch.read-back', ...ids });
  const rejected = batch.rejectedRows.filter(isOwn).slice(0, MOST_REJECTED);
  for (const row of rejected) {
    const { rowIndex, code, message } = row;
    const named = { ...rowNamesSchema.parse(row), ...definedOf({ rowIndex }), code, message };
    steps.push({ at: completedAt ?? submittedAt, what: 'row.rejected', ...ids, ...named });
  }
  if (completedAt !== undefined)
    steps.push({ at: completedAt, what: 'batch.ended', ...ids, rows, outcome: state });
  return steps;
}

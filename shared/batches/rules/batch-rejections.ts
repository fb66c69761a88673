import { definedOf } from '../../collections/defined-of.ts';
import { namesOf } from '../../marketplace/row-outcomes.ts';
import type { Rejection } from '../../rejections/model.ts';
import { boundedRejection } from '../../rejections/rules/bounded.ts';
import type { BatchRecord, RejectedRow } from '../model.ts';
import { rejectionsToReport } from './announcements.ts';

/** The changes that the rows of a batch make to the Rejections table. */
export interface BatchRejections {
  readonly rejected: readonly Rejection[];
  /** Rows that are not rejected, but that an earlier report of the batch may have stored as rejected. */
  readonly withdrawn: readonly Rejection[];
}

/** The rejections of a batch, for the report of its end or of its unknown rows. A later report of the batch gives the same IDs. */
export function rejectionsOfBatch(batch: BatchRecord): BatchRejections {
  const { storeClientId, submission, completedAt, announced } = batch;
  if (storeClientId === undefined || submission === undefined) return { rejected: [], withdrawn: [] };
  const rejectionOf = (row: RejectedRow): Rejection => {
    const { rowIndex, command, code, message, details, versions } = row;
    const { productIndex, commandId = submission.commandId } = command ?? {};
    // The names that were sent: a withdrawal has to find the rejection again.
    const names = submission.names?.[rowIndex ?? -1] ?? namesOf(row);
    return boundedRejection({
      storeClientId,
      rejectionId: `${submission.submittedAt}#${batch.batchId}#${rowIndex}`,
      rejectedAt: completedAt ?? submission.submittedAt,
      code,
      message,
      ...definedOf({ rowIndex, commandId, productIndex, details, versions }),
      ...names,
      batchId: batch.batchId,
    });
  };
  const rejected = rejectionsToReport(batch).map(rejectionOf);
  const wasReported = announced.includes('batch.unresolved') || batch.resolution !== undefined;
  if (!wasReported) return { rejected, withdrawn: [] };
  const still = new Set(rejected.map(({ rowIndex }) => rowIndex));
  const others = [...Array(submission.sentRows).keys()].filter((rowIndex) => !still.has(rowIndex));
  const withdrawn = others.map((rowIndex) =>
    rejectionOf({ rowIndex, command: submission.origins?.[rowIndex], code: '', message: '' }),
  );
  return { rejected, withdrawn };
}

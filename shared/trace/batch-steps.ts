import type { FailedRequest } from '../attempts/model.ts';
import type { BatchRecord, RejectedRow } from '../batches/model.ts';
import { isOfOtherStore } from '../batches/rules/apply-fact.ts';
import { isReadBack } from '../batches/rules/read-back.ts';
import { namesOf } from '../marketplace/row-outcomes.ts';
import { stepAt, type TraceStep } from './model.ts';

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
  const { storeClientId = '-', batchId, requestId, submission, completedAt, state, rows } = batch;
  const ids = { storeClientId, batchId, requestId };
  const rejected = batch.rejectedRows.filter(isOwn).slice(0, MOST_REJECTED);
  return [
    ...stepAt(submission && batch.submittedAt, 'batch.submitted', {
      ...ids,
      rows: { sent: rows.sent },
      ...(state === 'submitted' && { outcome: 'open', message: whyOpen(batch) }),
    }),
    ...stepAt(batch.finalSummary?.receivedAt, 'summary.received', {
      ...ids,
      outcome: submission ? undefined : state,
    }),
    ...contradictionSteps(batch, ids),
    ...resolutionSteps(batch, ids),
    ...rejected.flatMap((row) => {
      const { rowIndex, code, message } = row;
      const named = { ...namesOf(row), rowIndex, code, message };
      return stepAt(completedAt ?? batch.submittedAt, 'row.rejected', { ...ids, ...named });
    }),
    ...stepAt(completedAt, 'batch.ended', { ...ids, rows, outcome: state }),
  ];
}

function whyOpen({ kind, lookedAt, deadlineAt }: BatchRecord): string {
  if (!isReadBack(kind))
    return 'its unknown rows cannot be read back: it becomes unresolved, unless a summary ends it';
  return lookedAt === undefined
    ? `the sweeper reads it back after ${deadlineAt}, unless a summary ends it`
    : `not all of its rows could be read back at ${lookedAt}: the sweeper tries again, unless a summary ends it`;
}

/** The step of a request of stock or prices that ended with an error. */
export function stepsOfFailedRequest(
  requestId: string,
  { at, storeClientId, kind, rows, targets, ...end }: FailedRequest,
): TraceStep[] {
  const [target] = targets;
  const more = rows > targets.length ? ', …' : '';
  const message = [end.message, `a ${kind} request about ${targets.join(', ')}${more}`]
    .filter(Boolean)
    .join('. ');
  const facts = { ...end, storeClientId, requestId, rows: { sent: rows }, message };
  return stepAt(at, 'request.tried', { ...facts, ...(targets.length === 1 && rows === 1 && { target }) });
}

/** The steps of final summaries that do not count. A summary without a batch is not judged yet, and gives no step. */
function contradictionSteps(batch: BatchRecord, ids: BatchIds): TraceStep[] {
  const { submission, contradictions = [] } = batch;
  return (submission ? contradictions : []).flatMap((said) => {
    const { total, failed } = said.summary;
    const message = isOfOtherStore(batch, said)
      ? `it names store ${said.storeClientId}: the batch stays as it is`
      : `it says ${total} rows, ${failed} failed, which is not how the batch ended: the batch stays as it is`;
    return stepAt(said.receivedAt, 'summary.received', { ...ids, outcome: 'contradicted', message });
  });
}

type BatchIds = Pick<TraceStep, 'storeClientId' | 'batchId' | 'requestId'>;

function resolutionSteps(
  { kind, resolution }: Pick<BatchRecord, 'kind' | 'resolution'>,
  ids: BatchIds,
): TraceStep[] {
  if (resolution?.by === 'operator') {
    const message = 'an operator recorded the outcome of its unknown rows';
    return stepAt(resolution.resolvedAt, 'batch.resolved', { ...ids, message });
  }
  return isReadBack(kind) ? stepAt(resolution?.resolvedAt, 'batch.read-back', ids) : [];
}

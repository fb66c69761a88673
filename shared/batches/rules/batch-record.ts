import { definedOf } from '../../collections/defined-of.ts';
import { isRowRetryable } from '../../marketplace/batch.ts';
import { failuresIn, rowOutcomes } from '../../marketplace/row-outcomes.ts';
import type { BatchRecord, BatchState, FinalSummary, RejectedRow, Resolution, Submission } from '../model.ts';

/** A product with this externalId exists already (§4.5). */
export const ALREADY_EXISTS = 'PRD_002';

/** The facts about a batch: at least its submission or its final summary. */
export interface BatchFacts {
  readonly submission?: Submission | undefined;
  readonly finalSummary?: FinalSummary | undefined;
  readonly resolution?: Resolution | undefined;
}

type RowResult = 'accepted' | 'unknown' | RejectedRow;

/** A row in one report. `refused for now`: this try failed, but an earlier try of the row may have succeeded. */
type ReportedResult = RowResult | 'refused for now';

/** Fields of the record that do not follow from the facts. */
type Kept = Partial<Pick<BatchRecord, 'announced' | 'contradictions' | 'lookedAt' | 'retries'>>;

/**
 * Computes a batch's record from its facts. For each row the final summary overrides the answer. The read-back settles
 * the rows that are still unknown then. Unsettled rows keep the batch open.
 */
export function batchFrom(batchId: string, facts: BatchFacts, kept: Kept = {}): BatchRecord {
  const { submission, finalSummary, resolution } = facts;
  if (submission === undefined) return unmatchedFrom(batchId, finalSummary, kept);
  const results = resultsOf(submission, facts);
  const rejectedRows = results.filter((result) => typeof result === 'object');
  const unknown = results.filter((result) => result === 'unknown').length;
  const sent = submission.sentRows;
  const rejected = rejectedRows.length;
  const rows = { sent, accepted: sent - rejected - unknown, rejected, unknown };
  const state = stateOf(rows, resolution);
  return {
    batchId,
    state,
    ...identityOf(submission, finalSummary),
    ...definedOf({ completedAt: completedAtOf(state, facts) }),
    summary: { total: sent, failed: rejected, pending: unknown },
    rows,
    rejectedRows,
    unconfirmedRows: unconfirmedOf(facts, rows),
    ...(state === 'unresolved' && { unknownRows: unknownRowsOf(submission, results, resolution) }),
    ...factsAndKept(facts, kept),
  };
}

/** Adds the unknown rows of an open batch: only an unresolved batch stores them. */
export function withUnknownRows(batch: BatchRecord): BatchRecord {
  const { state, submission } = batch;
  if (state !== 'submitted' || submission === undefined) return batch;
  return { ...batch, unknownRows: unknownRowsOf(submission, resultsOf(submission, batch)) };
}

/** `rowIndex` of each unsettled row. */
export function openRowNumbers(batch: BatchFacts): number[] {
  const { submission } = batch;
  const results = submission === undefined ? [] : resultsOf(submission, batch);
  return [...results.keys()].filter((row) => results[row] === 'unknown');
}

/** Whether a batch has ended. An `unresolved` batch may still be settled. */
export function isBatchEnded(state: BatchState): state is 'completed' | 'completed_with_errors' | 'failed' {
  return state === 'completed' || state === 'completed_with_errors' || state === 'failed';
}

/** Whether a final summary contradicts how the batch ended, in a row or in its counts. */
export function contradicts(submission: Submission, batch: BatchRecord, finalSummary: FinalSummary): boolean {
  const rejected = new Set(batch.rejectedRows.map(({ rowIndex }) => rowIndex));
  const reported = reportedRows(submission, finalSummary);
  const results = reportedResults(submission, finalSummary);
  const differs = results.some((result, row) => {
    if (result === undefined || result === 'unknown' || result === 'refused for now') return false;
    return (result === 'accepted') === rejected.has(row);
  });
  const named = reported.filter(({ outcome }) => outcome === 'rejected');
  const unnamed = failuresIn(aboutAllRows(submission, finalSummary).summary) - named.length;
  const left = [...rejected].filter((row = 0) => results[row] === undefined);
  return differs || unnamed > left.length;
}

function resultsOf(submission: Submission, { finalSummary, resolution }: BatchFacts): RowResult[] {
  const answered = answeredResults(submission);
  const reported = finalSummary && reportedResults(submission, finalSummary);
  const readBack = resolution && readBackResults(submission, resolution);
  return answered.map((answer, row) => {
    const result = reported?.[row] ?? answer;
    if (result !== 'refused for now' && result !== 'unknown') return result;
    return readBack === undefined ? 'unknown' : (readBack.get(row) ?? 'accepted');
  });
}

function answeredResults(submission: Submission): ReportedResult[] {
  const results = Array.from(
    { length: submission.sentRows },
    (): ReportedResult => (submission.endsBy === 'answer' ? 'accepted' : 'unknown'),
  );
  for (const row of submission.unknownRows ?? []) results[row] = 'unknown';
  for (const row of answeredRejections(submission)) results[row.rowIndex] = resultOf(submission, row);
  return results;
}

/** The result of each row by the final summary, or else by a rejection in the answer; `undefined` if neither settles the row. */
function reportedResults(submission: Submission, finalSummary: FinalSummary): (ReportedResult | undefined)[] {
  return reportedRows(submission, finalSummary).map((reported, rowIndex) => {
    if (reported.outcome !== 'rejected') return reported.outcome === 'accepted' ? 'accepted' : undefined;
    return resultOf(submission, withNames(submission, { ...reported.error, rowIndex }));
  });
}

function reportedRows(submission: Submission, finalSummary: FinalSummary) {
  const { rejectedRows, acceptedRows = [] } = finalSummary;
  const { summary, refused } = aboutAllRows(submission, finalSummary);
  const errors = [...refused, ...rejectedRows];
  return rowOutcomes(rowsOf(submission), { summary, acceptedRows, errors });
}

function rowsOf({ sentRows, names = [] }: Submission) {
  return Array.from({ length: sentRows }, (_, row) => names[row] ?? {});
}

/**
 * `summary`: the counts for all sent rows. `refused`: the answer's rejections that still hold. A summary may leave out the rows
 * that the answer rejected; then their number is added to its counts. Otherwise a row that the summary names as accepted is no
 * longer rejected.
 */
function aboutAllRows(submission: Submission, { summary, rejectedRows, acceptedRows = [] }: FinalSummary) {
  const { total, failed, pending } = summary;
  // Another try may have created a row that was refused for now: the summary decides.
  const isOpen = (row: RejectedRow) => submission.uncertain === true && isRowRetryable(row);
  const refused = answeredRejections(submission).filter((row) => !isOpen(row));
  const { length } = refused;
  if (total === submission.sentRows - length)
    return { refused, summary: { total: total + length, failed: failed + length, pending } };
  const named = rowOutcomes(rowsOf(submission), {
    summary: { total: 0 },
    acceptedRows,
    errors: rejectedRows,
  });
  return { refused: refused.filter(({ rowIndex }) => named[rowIndex]?.outcome !== 'accepted'), summary };
}

function readBackResults(submission: Submission, { rejectedRows, unknownRows }: Resolution) {
  return new Map<number | undefined, RowResult>([
    ...rejectedRows.map((row) => [row.rowIndex, withNames(submission, row)] as const),
    ...unknownRows.map(({ rowIndex }) => [rowIndex, 'unknown'] as const),
  ]);
}

/**
 * The result of a refused row. If an earlier try has an unknown outcome, that try may have created the product, or may still
 * do so. "Exists already" then means that it has; a row that is refused for now stays open.
 */
function resultOf({ uncertain }: Submission, row: RejectedRow): ReportedResult {
  if (uncertain !== true) return row;
  if (row.code === ALREADY_EXISTS) return 'accepted';
  return isRowRetryable(row) ? 'refused for now' : row;
}

function answeredRejections(submission: Submission) {
  return submission.rejectedRows.flatMap((row) => {
    const { rowIndex = submission.sentRows } = row;
    return rowIndex < submission.sentRows ? [{ ...withNames(submission, row), rowIndex }] : [];
  });
}

/** Adds the row's names and its position in its command. */
function withNames<Row extends { readonly rowIndex?: number | undefined }>(
  { names, origins }: Submission,
  row: Row,
): Row {
  const command = origins?.[row.rowIndex ?? -1];
  return { ...names?.[row.rowIndex ?? -1], ...(definedOf(row) as Row), ...(command && { command }) };
}

function unknownRowsOf(submission: Submission, results: readonly RowResult[], resolution?: Resolution) {
  const readBack = new Map(resolution?.unknownRows.map((row) => [row.rowIndex, row]));
  return results.flatMap((result, rowIndex) =>
    result === 'unknown' ? [withNames(submission, { ...readBack.get(rowIndex), rowIndex })] : [],
  );
}

function stateOf({ accepted, rejected, unknown }: BatchRecord['rows'], resolution?: Resolution): BatchState {
  if (unknown > 0) return resolution === undefined ? 'submitted' : 'unresolved';
  if (rejected === 0) return 'completed';
  return accepted === 0 ? 'failed' : 'completed_with_errors';
}

/** When the fact came that settled the last row. */
function completedAtOf(
  state: BatchState,
  { submission, finalSummary, resolution }: BatchFacts,
): string | undefined {
  if (state === 'submitted' || submission === undefined) return undefined;
  const isSettled = (facts: BatchFacts) => resultsOf(submission, facts).every((row) => row !== 'unknown');
  if (isSettled({})) return submission.submittedAt;
  const settledAt = isSettled({ finalSummary }) ? finalSummary?.receivedAt : resolution?.resolvedAt;
  // A summary may come before the answer: the later of both times counts.
  return [submission.submittedAt, settledAt ?? ''].sort().at(-1);
}

/** Accepted rows that only the answer settled: no summary came, or it counts them as pending. */
export function unconfirmedOf(
  { submission, finalSummary }: BatchFacts,
  { accepted }: BatchRecord['rows'],
): number {
  if (submission?.endsBy !== 'answer') return 0;
  const reported = finalSummary && reportedResults(submission, finalSummary);
  const unconfirmed = answeredResults(submission).filter(
    (result, row) => result === 'accepted' && reported?.[row] === undefined,
  );
  return Math.min(accepted, unconfirmed.length);
}

function unmatchedFrom(batchId: string, finalSummary: FinalSummary | undefined, kept: Kept): BatchRecord {
  if (finalSummary === undefined) {
    throw new RangeError(`batch ${batchId} has neither a submission nor a final summary`);
  }
  const { summary, rejectedRows, acceptedRows = [], receivedAt, requestId, storeClientId } = finalSummary;
  const total = Math.max(summary.total, acceptedRows.length + rejectedRows.length);
  const rejected = Math.min(total, Math.max(summary.failed, rejectedRows.length));
  const unknown = Math.min(total - rejected, summary.pending);
  return {
    batchId,
    state: 'unmatched',
    ...definedOf({ requestId, storeClientId }),
    submittedAt: receivedAt,
    summary: { total, failed: rejected, pending: unknown },
    rows: { sent: total, accepted: total - rejected - unknown, rejected, unknown },
    rejectedRows,
    unconfirmedRows: 0,
    ...factsAndKept({ finalSummary }, kept),
  };
}

function identityOf({ origins, ...submission }: Submission, finalSummary: FinalSummary | undefined) {
  const { kind, storeClientId, attemptId, commandId, submittedAt, deadlineAt, retryOf, tries } = submission;
  const requestId = submission.requestId ?? finalSummary?.requestId;
  const commandIds = origins && [...new Set(origins.map((origin) => origin.commandId))];
  const identity = {
    requestId,
    kind,
    storeClientId,
    attemptId,
    commandId,
    commandIds,
    deadlineAt,
    retryOf,
    tries,
  };
  return { submittedAt, ...definedOf(identity) };
}

function factsAndKept({ submission, finalSummary, resolution }: BatchFacts, kept: Kept) {
  const { announced = [], lookedAt, retries, contradictions } = kept;
  const facts = { submission, finalSummary, resolution, lookedAt, retries, contradictions };
  return { announced, ...definedOf(facts) };
}

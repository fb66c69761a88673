import type { BatchRecord, BatchState, FinalSummary, RejectedRow, Submission } from '../model.ts';

/** A product with this externalId exists already (§4.5). */
const ALREADY_EXISTS = 'PRD_002';

/**
 * A batch's record follows from its two facts alone, its submission and its final summary: whichever comes first,
 * and however often, the record ends the same (design P4).
 */
export function batchFrom(
  batchId: string,
  facts: { submission?: Submission | undefined; finalSummary?: FinalSummary | undefined },
  announced: BatchRecord['announced'] = [],
): BatchRecord {
  const { submission, finalSummary } = facts;
  if (submission === undefined && finalSummary === undefined) {
    throw new RangeError(`batch ${batchId} has neither a submission nor a final summary`);
  }
  const failedRows = uniteRejections(submission?.rejectedRows ?? [], finalSummary?.rejectedRows ?? []);
  const rejectedRows = failedRows.filter((row) => !madeBefore(row, submission));
  const madeRows = failedRows.length - rejectedRows.length;
  const rows = countRows(submission, finalSummary, { failed: failedRows.length, made: madeRows });
  const state = stateOf(submission, finalSummary, rows);
  const requestId = submission?.requestId ?? finalSummary?.requestId;
  const storeClientId = submission?.storeClientId ?? finalSummary?.storeClientId;
  const completedAt = completedAtOf(submission, finalSummary);
  return {
    batchId,
    state,
    submittedAt: submission?.submittedAt ?? finalSummary?.receivedAt ?? '',
    summary: { total: rows.sent, failed: rows.rejected, pending: rows.unknown },
    rows,
    rejectedRows,
    unconfirmedRows: submission?.endsBy === 'answer' && finalSummary === undefined ? rows.accepted : 0,
    announced,
    ...(requestId === undefined ? {} : { requestId }),
    ...(storeClientId === undefined ? {} : { storeClientId }),
    ...(completedAt === undefined ? {} : { completedAt }),
    ...(submission === undefined ? {} : { submission, ...factsOf(submission) }),
    ...(finalSummary === undefined ? {} : { finalSummary }),
  };
}

function factsOf({ kind, attemptId, commandId, deadlineAt }: Submission) {
  return { kind, attemptId, deadlineAt, ...(commandId === undefined ? {} : { commandId }) };
}

function completedAtOf(submission?: Submission, finalSummary?: FinalSummary): string | undefined {
  if (submission === undefined) return undefined;
  if (submission.endsBy === 'answer') return submission.submittedAt;
  return finalSummary?.receivedAt;
}

function stateOf(
  submission: Submission | undefined,
  finalSummary: FinalSummary | undefined,
  rows: BatchRecord['rows'],
): BatchState {
  if (submission === undefined) return 'unmatched';
  if (submission.endsBy === 'summary' && finalSummary === undefined) return 'submitted';
  if (rows.rejected === 0 && rows.unknown === 0) return 'completed';
  return rows.accepted === 0 && rows.unknown === 0 ? 'failed' : 'completed_with_errors';
}

/** `sent = accepted + rejected + unknown`, whatever the marketplace's own counts add up to (design P3). */
function countRows(
  submission: Submission | undefined,
  finalSummary: FinalSummary | undefined,
  listed: { failed: number; made: number },
): BatchRecord['rows'] {
  const sent = submission?.sentRows ?? finalSummary?.summary.total ?? 0;
  const failed = Math.min(sent, Math.max(listed.failed, finalSummary?.summary.failed ?? 0));
  const rejected = Math.max(0, failed - listed.made);
  const open = sent - rejected;
  if (finalSummary === undefined) {
    const accepted = submission?.endsBy === 'answer' ? open : 0;
    return { sent, accepted, rejected, unknown: open - accepted };
  }
  const unreported = Math.max(0, sent - finalSummary.summary.total) + finalSummary.summary.pending;
  const unknown = submission?.endsBy === 'answer' ? 0 : Math.min(open, unreported);
  return { sent, accepted: open - unknown, rejected, unknown };
}

/** Whether an earlier try of the same rows, whose outcome never became known, made what the row was to make. */
function madeBefore({ code }: RejectedRow, submission: Submission | undefined): boolean {
  return submission?.uncertain === true && code === ALREADY_EXISTS;
}

/** One rejection per row; the final summary's word on a row counts over the answer's. */
function uniteRejections(answered: readonly RejectedRow[], final: readonly RejectedRow[]): RejectedRow[] {
  const byRow = new Map<string, RejectedRow>();
  for (const row of [...answered, ...final]) byRow.set(keyOf(row, byRow.size), row);
  return [...byRow.values()];
}

function keyOf(row: RejectedRow, ordinal: number): string {
  if (row.rowIndex !== undefined) return `row ${row.rowIndex}`;
  return row.externalId ?? row.sku ?? row.id ?? row.orderId ?? `unnamed ${ordinal}`;
}

import type { BatchRecord, BatchState, FinalSummary, RejectedRow, Resolution, Submission } from '../model.ts';
import { isAbout } from './is-about.ts';
import { type BatchFacts, isEndedByAnswer, type Refusals, refusalsOf } from './refusals.ts';
import { commandIdsOf, type NamedRow, withCommand } from './row-origins.ts';

/** What tells most of a batch's rows: those that it does not reject and does not leave unknown are accepted. */
interface Telling {
  readonly at: string;
  readonly rejectedRows: readonly RejectedRow[];
  /** Rejected rows by its own count, where it lists fewer. */
  readonly failed: number;
  readonly unknown: number;
}

/**
 * A batch's record follows from its facts alone, whichever comes first and however often, so that it always ends the
 * same (design P4). A batch that was read back whole has its outcome; otherwise the final summary gives it, even one
 * that comes when the batch is `unresolved` already. Rows that a summary leaves untold keep the batch open, as do rows
 * that it, or an answer which would have ended the batch, leaves in doubt.
 */
export function batchFrom(
  batchId: string,
  facts: BatchFacts,
  kept: Partial<Pick<BatchRecord, 'announced' | 'contradictions' | 'lookedAt' | 'retries'>> = {},
): BatchRecord {
  const { submission, finalSummary, resolution } = facts;
  if (submission === undefined && finalSummary === undefined) {
    throw new RangeError(`batch ${batchId} has neither a submission nor a final summary`);
  }
  const refusals = refusalsOf(facts);
  const telling = tellingOf(facts, refusals);
  const ofCommand = <Row extends NamedRow>(row: Row) => withCommand(row, submission?.origins);
  const rejectedRows = (telling ?? refusals).rejectedRows.map(ofCommand);
  const sent = submission?.sentRows ?? finalSummary?.summary.total ?? 0;
  const rows = countRows(sent, rejectedRows.length, telling);
  const state = stateOf(facts, telling, rows);
  const completedAt = completedAtOf(state, telling, resolution);
  return {
    batchId,
    state,
    submittedAt: submission?.submittedAt ?? finalSummary?.receivedAt ?? '',
    summary: { total: rows.sent, failed: rows.rejected, pending: rows.unknown },
    rows,
    rejectedRows,
    unconfirmedRows: unconfirmedOf(facts, rows),
    announced: kept.announced ?? [],
    ...identityOf(facts),
    ...(completedAt === undefined ? {} : { completedAt }),
    ...(state === 'unresolved' && resolution
      ? { unknownRows: unknownRowsOf(resolution, refusals, rows).map(ofCommand) }
      : {}),
    ...(submission === undefined ? {} : { submission }),
    ...(finalSummary === undefined ? {} : { finalSummary }),
    ...(resolution === undefined ? {} : { resolution }),
    ...(kept.lookedAt === undefined ? {} : { lookedAt: kept.lookedAt }),
    ...(kept.retries === undefined ? {} : { retries: kept.retries }),
    ...(kept.contradictions === undefined ? {} : { contradictions: kept.contradictions }),
  };
}

function identityOf({ submission, finalSummary }: BatchFacts): Partial<BatchRecord> {
  const requestId = submission?.requestId ?? finalSummary?.requestId;
  const storeClientId = submission?.storeClientId ?? finalSummary?.storeClientId;
  const { kind, attemptId, commandId, origins, deadlineAt, retryOf }: Partial<Submission> = submission ?? {};
  return {
    ...(requestId === undefined ? {} : { requestId }),
    ...(storeClientId === undefined ? {} : { storeClientId }),
    ...(kind === undefined ? {} : { kind }),
    ...(attemptId === undefined ? {} : { attemptId }),
    ...(commandId === undefined ? {} : { commandId }),
    ...(origins === undefined ? {} : { commandIds: commandIdsOf(origins) }),
    ...(deadlineAt === undefined ? {} : { deadlineAt }),
    ...(retryOf === undefined ? {} : { retryOf }),
  };
}

function tellingOf(
  { submission, finalSummary, resolution }: BatchFacts,
  refusals: Refusals,
): Telling | undefined {
  const readBack = resolution && byReadBack(resolution);
  if (readBack?.unknown === 0) return readBack;
  if (finalSummary !== undefined) {
    const summary = bySummary(finalSummary, submission, refusals);
    // One that does not know the end of its rows yet tells less than what was found out without it.
    return readBack !== undefined && readBack.unknown < summary.unknown ? readBack : summary;
  }
  if (readBack !== undefined || submission?.endsBy !== 'answer') return readBack;
  return { ...byRefusals(refusals), at: submission.submittedAt };
}

function byReadBack({ resolvedAt, rejectedRows, unknownRows }: Resolution): Telling {
  return { at: resolvedAt, rejectedRows, failed: rejectedRows.length, unknown: unknownRows.length };
}

function byRefusals({ rejectedRows, inDoubt }: Refusals): Omit<Telling, 'at'> {
  return { rejectedRows, failed: rejectedRows.length, unknown: inDoubt.length };
}

function bySummary(
  { receivedAt, summary }: FinalSummary,
  submission: Submission | undefined,
  refusals: Refusals,
): Telling {
  const said = byRefusals(refusals);
  const failed = said.failed + Math.max(0, summary.failed - refusals.count);
  // Rows that the summary of such a batch does not count were accepted by its answer already.
  if (submission?.endsBy === 'answer') {
    return { ...said, failed, at: isEndedByAnswer(submission) ? submission.submittedAt : receivedAt };
  }
  const unreported = Math.max(0, (submission?.sentRows ?? 0) - summary.total);
  return { ...said, failed, at: receivedAt, unknown: said.unknown + unreported + summary.pending };
}

function stateOf(
  { submission, resolution }: BatchFacts,
  telling: Telling | undefined,
  { accepted, rejected, unknown }: BatchRecord['rows'],
): BatchState {
  if (submission === undefined) return 'unmatched';
  if (telling === undefined) return 'submitted';
  if (unknown > 0) return resolution === undefined ? 'submitted' : 'unresolved';
  if (rejected === 0) return 'completed';
  return accepted === 0 ? 'failed' : 'completed_with_errors';
}

function completedAtOf(
  state: BatchState,
  telling: Telling | undefined,
  resolution: Resolution | undefined,
): string | undefined {
  if (state === 'unmatched' || state === 'submitted') return undefined;
  return state === 'unresolved' ? resolution?.resolvedAt : telling?.at;
}

/** `sent = accepted + rejected + unknown`, whatever the marketplace's own counts add up to (design P3). */
function countRows(
  sent: number,
  listed: number,
  telling: Pick<Telling, 'failed' | 'unknown'> | undefined,
): BatchRecord['rows'] {
  const rejected = Math.min(sent, telling?.failed ?? listed);
  const open = sent - rejected;
  const unknown = telling === undefined ? open : Math.min(open, telling.unknown);
  return { sent, accepted: open - unknown, rejected, unknown };
}

/** Where no summary came: the rows that the answer did not refuse, and that were not read back. */
function unconfirmedOf({ submission, finalSummary }: BatchFacts, { accepted }: BatchRecord['rows']): number {
  if (submission?.endsBy !== 'answer' || finalSummary !== undefined) return 0;
  return Math.min(accepted, Math.max(0, submission.sentRows - submission.rejectedRows.length));
}

/** What reading back could not tell of; of that only what is in doubt, where a summary has told of all the others. */
function unknownRowsOf(
  { unknownRows }: Resolution,
  { inDoubt }: Refusals,
  { unknown }: BatchRecord['rows'],
): Resolution['unknownRows'] {
  if (inDoubt.length < unknown) return unknownRows;
  return unknownRows.filter((row) => inDoubt.some((one) => isAbout(one, row)));
}

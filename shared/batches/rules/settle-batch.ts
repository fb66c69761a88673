import type { BatchRecord, BatchState, FinalSummary, RejectedRow, Resolution, Submission } from '../model.ts';
import { commandIdsOf, type NamedRow, withCommand } from './row-origins.ts';

/** A product with this externalId exists already (§4.5). */
const ALREADY_EXISTS = 'PRD_002';

/** What is known of a batch; at least its submission or its final summary. */
export interface BatchFacts {
  readonly submission?: Submission | undefined;
  readonly finalSummary?: FinalSummary | undefined;
  readonly resolution?: Resolution | undefined;
}

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
 * that comes when the batch is `unresolved` already. Rows that a summary leaves untold keep the batch open.
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
  const telling = tellingOf(facts);
  const failedRows = telling?.rejectedRows ?? submission?.rejectedRows ?? [];
  const ofCommand = <Row extends NamedRow>(row: Row) => withCommand(row, submission?.origins);
  const rejectedRows = failedRows.filter((row) => !madeBefore(row, submission)).map(ofCommand);
  const sent = submission?.sentRows ?? finalSummary?.summary.total ?? 0;
  const listed = { failed: failedRows.length, made: failedRows.length - rejectedRows.length };
  const rows = countRows(sent, listed, telling);
  const state = stateOf(facts, telling, rows);
  const completedAt = state === 'unmatched' || state === 'submitted' ? undefined : telling?.at;
  return {
    batchId,
    state,
    submittedAt: submission?.submittedAt ?? finalSummary?.receivedAt ?? '',
    summary: { total: rows.sent, failed: rows.rejected, pending: rows.unknown },
    rows,
    rejectedRows,
    unconfirmedRows: submission?.endsBy === 'answer' && finalSummary === undefined ? rows.accepted : 0,
    announced: kept.announced ?? [],
    ...identityOf(facts),
    ...(completedAt === undefined ? {} : { completedAt }),
    ...(state === 'unresolved' && resolution ? { unknownRows: resolution.unknownRows.map(ofCommand) } : {}),
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

function tellingOf({ submission, finalSummary, resolution }: BatchFacts): Telling | undefined {
  const readBack = resolution && byReadBack(resolution);
  if (readBack?.unknown === 0) return readBack;
  if (finalSummary !== undefined) {
    const summary = bySummary(finalSummary, submission);
    // One that does not know the end of its rows yet tells less than what was found out without it.
    return readBack !== undefined && readBack.unknown < summary.unknown ? readBack : summary;
  }
  if (submission?.endsBy === 'answer') {
    const { submittedAt: at, rejectedRows } = submission;
    return { at, rejectedRows, failed: 0, unknown: 0 };
  }
  return readBack;
}

function byReadBack({ resolvedAt, rejectedRows, unknownRows }: Resolution): Telling {
  return { at: resolvedAt, rejectedRows, failed: 0, unknown: unknownRows.length };
}

function bySummary(
  { receivedAt, rejectedRows, summary }: FinalSummary,
  submission: Submission | undefined,
): Telling {
  const said = {
    rejectedRows: uniteRejections(submission?.rejectedRows ?? [], rejectedRows),
    failed: summary.failed,
  };
  // Such a batch ended with its answer: rows that the summary does not count are accepted already.
  if (submission?.endsBy === 'answer') return { ...said, at: submission.submittedAt, unknown: 0 };
  const unreported = Math.max(0, (submission?.sentRows ?? 0) - summary.total);
  return { ...said, at: receivedAt, unknown: unreported + summary.pending };
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

/** `sent = accepted + rejected + unknown`, whatever the marketplace's own counts add up to (design P3). */
function countRows(
  sent: number,
  listed: { failed: number; made: number },
  telling: Pick<Telling, 'failed' | 'unknown'> | undefined,
): BatchRecord['rows'] {
  const failed = Math.min(sent, Math.max(listed.failed, telling?.failed ?? 0));
  const rejected = Math.max(0, failed - listed.made);
  const open = sent - rejected;
  const unknown = telling === undefined ? open : Math.min(open, telling.unknown);
  return { sent, accepted: open - unknown, rejected, unknown };
}

/** Whether an earlier try of the same rows, whose outcome never became known, made what the row was to make. */
function madeBefore({ code }: RejectedRow, submission: Submission | undefined): boolean {
  return submission?.uncertain === true && code === ALREADY_EXISTS;
}

/** One rejection per row; the later word on a row counts over the answer's. */
function uniteRejections(answered: readonly RejectedRow[], final: readonly RejectedRow[]): RejectedRow[] {
  const byRow = new Map<string, RejectedRow>();
  for (const row of [...answered, ...final]) byRow.set(keyOf(row, byRow.size), row);
  return [...byRow.values()];
}

function keyOf(row: RejectedRow, ordinal: number): string {
  if (row.rowIndex !== undefined) return `row ${row.rowIndex}`;
  return row.externalId ?? row.sku ?? row.id ?? row.orderId ?? `unnamed ${ordinal}`;
}

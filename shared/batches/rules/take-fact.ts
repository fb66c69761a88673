import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { jsonBytes } from '../../collections/packer.ts';
import type { BatchRecord, Contradiction, FinalSummary, Resolution, Submission } from '../model.ts';
import { batchFrom, contradicts, isEnded } from './batch-record.ts';

/** Most contradictions that a record keeps and reports, and most bytes of JSON of the rejected rows of each. */
const MAX_CONTRADICTIONS = 10;
const MAX_CONTRADICTION_BYTES = 5_000;

/**
 * The record with its submission, and with what final summaries said that came before it, as if they came now;
 * `undefined` when it has one already.
 */
export function withSubmission(
  current: BatchRecord | undefined,
  submission: Submission,
): BatchRecord | undefined {
  if (current?.submission !== undefined) return undefined;
  const { finalSummary, contradictions = [] } = current ?? {};
  const early = finalSummary === undefined ? [] : [finalSummary, ...contradictions];
  return early.reduce(
    (batch, summary) => withFinalSummary(batch.batchId, batch, summary) ?? batch,
    batchFrom(submission.batchId, { submission }),
  );
}

/**
 * The record with a final summary; `undefined` when it changes nothing. Of a batch that is open the one that settles most
 * rows counts. What ended stays as it is: a summary that says something else is kept beside it, once.
 */
export function withFinalSummary(
  batchId: string,
  current: BatchRecord | undefined,
  finalSummary: FinalSummary,
): BatchRecord | undefined {
  if (current?.finalSummary !== undefined && saysSame(current.finalSummary, finalSummary)) return undefined;
  if (current?.submission !== undefined && isEnded(current.state)) {
    if (contradicts(current.submission, current, finalSummary))
      return withContradiction(current, finalSummary);
    if (current.finalSummary !== undefined) return undefined;
    return { ...current, finalSummary, unconfirmedRows: 0 };
  }
  const candidate = toReportAgain(current, batchFrom(batchId, { ...current, finalSummary }, current));
  if (current?.finalSummary === undefined || settlesMore(candidate, current)) return candidate;
  // Whether it contradicts its batch is decided when the batch is known.
  return current.submission === undefined ? withContradiction(current, finalSummary) : undefined;
}

/** The record with what reading back found; `undefined` for a batch that is not open. */
export function withResolution(
  current: BatchRecord | undefined,
  resolution: Resolution,
): BatchRecord | undefined {
  if (current?.state !== 'submitted') return undefined;
  return batchFrom(current.batchId, { ...current, resolution }, current);
}

/** The open batch after its rows were read back and some could not be: it keeps the time of the first such reading. */
export function withLook(current: BatchRecord | undefined, at: string): BatchRecord | undefined {
  if (current?.state !== 'submitted' || current.lookedAt !== undefined) return undefined;
  return { ...current, lookedAt: at };
}

/** What is left of an unmatched summary when batch `to` has it: no row is counted twice, and no store lists it. */
export function asMatched({ batchId, submittedAt }: BatchRecord, to: string): BatchRecord {
  return {
    batchId,
    state: 'matched',
    matchedTo: to,
    submittedAt,
    summary: { total: 0, failed: 0, pending: 0 },
    rows: { sent: 0, accepted: 0, rejected: 0, unknown: 0 },
    rejectedRows: [],
    unconfirmedRows: 0,
    announced: [],
  };
}

function withContradiction(batch: BatchRecord, finalSummary: FinalSummary): BatchRecord | undefined {
  const { contradictions = [] } = batch;
  const digest = digestOf(finalSummary);
  const isKnown = contradictions.some((known) => known.digest === digest);
  if (isKnown || contradictions.length >= MAX_CONTRADICTIONS) return undefined;
  const { acceptedRows: _, rejectedRows, ...said } = finalSummary;
  let bytes = 0;
  const first = rejectedRows.findIndex((row) => {
    bytes += jsonBytes(row);
    return bytes > MAX_CONTRADICTION_BYTES;
  });
  const kept = first < 0 ? rejectedRows : rejectedRows.slice(0, first);
  const contradiction: Contradiction = { ...said, rejectedRows: kept, digest, isReported: false };
  return { ...batch, contradictions: [...contradictions, contradiction] };
}

function saysSame(one: FinalSummary, other: FinalSummary): boolean {
  const wordsOf = ({ summary, rejectedRows, acceptedRows }: FinalSummary) => [
    summary,
    rejectedRows,
    acceptedRows,
  ];
  return isDeepStrictEqual(wordsOf(one), wordsOf(other));
}

function digestOf(finalSummary: FinalSummary | Contradiction): string {
  if ('digest' in finalSummary) return finalSummary.digest;
  const { summary, rejectedRows } = finalSummary;
  return createHash('sha256')
    .update(JSON.stringify([summary, rejectedRows]))
    .digest('hex');
}

/** Where a batch stays unresolved, but of other rows, what was reported of it is not true any more. */
function toReportAgain(before: BatchRecord | undefined, batch: BatchRecord): BatchRecord {
  const isTrueStill = batch.state !== 'unresolved' || isDeepStrictEqual(before?.rows, batch.rows);
  if (isTrueStill) return batch;
  return { ...batch, announced: batch.announced.filter((event) => event !== 'batch.unresolved') };
}

/** Fewer rows are unknown; or as many, but it says which. */
function settlesMore(one: BatchRecord, other: BatchRecord): boolean {
  const pendingIn = ({ finalSummary }: BatchRecord) => finalSummary?.summary.pending ?? 0;
  if (one.rows.unknown !== other.rows.unknown) return one.rows.unknown < other.rows.unknown;
  return pendingIn(one) < pendingIn(other);
}

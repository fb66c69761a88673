import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { definedOf } from '../../collections/defined-of.ts';
import { packAll } from '../../collections/packer.ts';
import type { IsoTime } from '../../time/times.ts';
import type { BatchRecord, Contradiction, FinalSummary, Resolution, Submission } from '../model.ts';
import { batchFrom, contradicts, isBatchEnded, unconfirmedOf } from './batch-record.ts';

const MAX_CONTRADICTIONS = 10;
/** Limit for the stored rejected rows of one contradiction. */
const CONTRADICTION_LIMITS = { maxBytes: 5_000 };

/** Adds the submission, then any final summaries that came before it; `undefined` if the record has a submission. */
export function withSubmission(
  current: BatchRecord | undefined,
  submission: Submission,
): BatchRecord | undefined {
  if (current?.submission !== undefined) return undefined;
  const { finalSummary, contradictions = [] } = current ?? {};
  const isOfRequest = ({ requestId }: FinalSummary) => requestId === submission.requestId;
  // The marketplace may reuse a `batchId`, so that the record has summaries of several requests.
  const early = finalSummary === undefined ? [] : [finalSummary, ...contradictions];
  early.sort((one, other) => Number(isOfRequest(other)) - Number(isOfRequest(one)));
  return early.reduce(
    (batch, summary) => withFinalSummary(batch.batchId, batch, summary) ?? batch,
    batchFrom(submission.batchId, { submission }),
  );
}

/**
 * Adds a final summary; `undefined` if nothing changes. An open batch uses the summary that settles the most rows. An
 * ended batch does not change: a contradicting summary is stored once, as a contradiction. A summary of another store is stored
 * in the same way.
 */
export function withFinalSummary(
  batchId: string,
  current: BatchRecord | undefined,
  finalSummary: FinalSummary,
): BatchRecord | undefined {
  // The summary belongs to the batch `matchedTo`.
  if (current?.matchedTo !== undefined) return undefined;
  if (current !== undefined && isOfOtherStore(current, finalSummary))
    return withSummaryBeside(current, finalSummary);
  if (current?.finalSummary !== undefined && saysSame(current.finalSummary, finalSummary))
    return withRequestId(current, current.finalSummary, finalSummary);
  if (current?.submission !== undefined && isBatchEnded(current.state)) {
    if (contradicts(current.submission, current, finalSummary))
      return withContradiction(current, finalSummary);
    const unconfirmedRows = unconfirmedOf({ ...current, finalSummary }, current.rows);
    if (current.finalSummary !== undefined && unconfirmedRows >= current.unconfirmedRows) return undefined;
    return { ...current, finalSummary, unconfirmedRows };
  }
  const candidate = withReportDue(current, batchFrom(batchId, { ...current, finalSummary }, current));
  if (current?.finalSummary === undefined || settlesMore(candidate, current)) return candidate;
  return current.submission === undefined ? withSummaryBeside(current, finalSummary) : undefined;
}

/** Adds the `requestId` if the unmatched summary had none and its further delivery has one; `undefined` otherwise. */
function withRequestId(
  current: BatchRecord,
  kept: FinalSummary,
  { requestId }: FinalSummary,
): BatchRecord | undefined {
  const isNew = current.submission === undefined && kept.requestId === undefined && requestId !== undefined;
  if (!isNew) return undefined;
  return batchFrom(current.batchId, { ...current, finalSummary: { ...kept, requestId } }, current);
}

/**
 * Stores a summary as a contradiction. While the batch is unknown, the record is listed as unmatched, even if the first summary was
 * discarded. Once the batch is known, it decides which summary counts.
 */
function withSummaryBeside(current: BatchRecord, finalSummary: FinalSummary): BatchRecord | undefined {
  const kept = withContradiction(current, finalSummary);
  return kept?.submission === undefined ? kept && batchFrom(kept.batchId, kept, kept) : kept;
}

/** Adds a resolution; `undefined` if the batch has ended, or if it is unresolved and the resolution settles no further row. */
export function withResolution(
  current: BatchRecord | undefined,
  resolution: Resolution | undefined,
): BatchRecord | undefined {
  if (resolution === undefined || (current?.state !== 'submitted' && current?.state !== 'unresolved'))
    return undefined;
  const next = batchFrom(current.batchId, { ...current, resolution }, current);
  if (current.state === 'unresolved' && next.rows.unknown === current.rows.unknown) return undefined;
  return withReportDue(current, next);
}

/** An open batch after a read-back that left rows unknown. Only the first such read-back sets the time. */
export function withFailedReadBack(current: BatchRecord | undefined, at: IsoTime): BatchRecord | undefined {
  if (current?.state !== 'submitted' || current.lookedAt !== undefined) return undefined;
  return { ...current, lookedAt: at };
}

/** An unmatched summary after it was moved to batch `to`: its rows are counted there. */
export function asMatched(summary: BatchRecord, to: string): BatchRecord {
  return { ...withoutRows(summary), state: 'matched', matchedTo: to };
}

/** An unmatched summary that an operator discarded. Its content is kept, to recognise a redelivery. */
export function asDiscarded(summary: BatchRecord): BatchRecord {
  const { finalSummary, contradictions } = summary;
  return { ...withoutRows(summary), state: 'discarded', ...definedOf({ finalSummary, contradictions }) };
}

function withoutRows({ batchId, submittedAt }: BatchRecord): Omit<BatchRecord, 'state'> {
  return {
    batchId,
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
  const [first = []] = packAll(rejectedRows, CONTRADICTION_LIMITS);
  const contradiction: Contradiction = { ...said, rejectedRows: first, digest, isReported: false };
  return { ...batch, contradictions: [...contradictions, contradiction] };
}

/** The marketplace may give one `batchId` to batches of two stores. If no batch is known, the first summary decides the store. */
export function isOfOtherStore(
  { submission, finalSummary }: BatchRecord,
  { storeClientId }: FinalSummary,
): boolean {
  const own = (submission ?? finalSummary)?.storeClientId ?? storeClientId;
  return (storeClientId ?? own) !== own;
}

function saysSame(one: FinalSummary, other: FinalSummary): boolean {
  return isDeepStrictEqual(contentOf(one), contentOf(other));
}

function contentOf({ storeClientId, summary, rejectedRows, acceptedRows }: FinalSummary) {
  return { storeClientId, summary, rejectedRows, acceptedRows };
}

function digestOf(finalSummary: FinalSummary | Contradiction): string {
  if ('digest' in finalSummary) return finalSummary.digest;
  return createHash('sha256')
    .update(JSON.stringify(contentOf(finalSummary)))
    .digest('hex');
}

/** Makes `batch.unresolved` due again if the unresolved rows have changed since it was published. */
function withReportDue(before: BatchRecord | undefined, batch: BatchRecord): BatchRecord {
  const isCurrent = batch.state !== 'unresolved' || isDeepStrictEqual(before?.rows, batch.rows);
  if (isCurrent) return batch;
  return { ...batch, announced: batch.announced.filter((event) => event !== 'batch.unresolved') };
}

/** Whether `one` leaves fewer rows unknown than `other`, or the same number and its summary counts fewer rows as pending. */
function settlesMore(one: BatchRecord, other: BatchRecord): boolean {
  const pendingIn = ({ finalSummary }: BatchRecord) => finalSummary?.summary.pending ?? 0;
  if (one.rows.unknown !== other.rows.unknown) return one.rows.unknown < other.rows.unknown;
  return pendingIn(one) < pendingIn(other);
}

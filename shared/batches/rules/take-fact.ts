import { isDeepStrictEqual } from 'node:util';
import {
  type BatchRecord,
  type FinalSummary,
  MAX_CONTRADICTIONS,
  type Resolution,
  type Submission,
} from '../model.ts';
import { batchFrom } from './settle-batch.ts';

/** The record with its submission; `undefined` when it has one already. */
export function withSubmission(
  current: BatchRecord | undefined,
  submission: Submission,
): BatchRecord | undefined {
  if (current?.submission !== undefined) return undefined;
  return batchFrom(submission.batchId, { ...current, submission }, current);
}

/**
 * The record with its final summary. The first one that ends the batch counts, before that the one that tells most;
 * one that comes again changes nothing, and one that says something else is kept as a contradiction.
 */
export function withFinalSummary(
  batchId: string,
  current: BatchRecord | undefined,
  finalSummary: FinalSummary,
): BatchRecord | undefined {
  const candidate = toTellAgain(current, batchFrom(batchId, { ...current, finalSummary }, current));
  if (current?.finalSummary === undefined) return candidate;
  if (isOpen(current) && tellsMore(candidate, current)) return candidate;
  const known = [current.finalSummary, ...(current.contradictions ?? [])];
  if (known.some(({ summary }) => isDeepStrictEqual(summary, finalSummary.summary))) return undefined;
  if (known.length > MAX_CONTRADICTIONS) return undefined;
  const { rejectedRows: _, ...contradiction } = finalSummary;
  return { ...current, contradictions: [...(current.contradictions ?? []), contradiction] };
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

/** Where a batch stays unresolved, but of other rows, what was told of it is not true any more. */
function toTellAgain(before: BatchRecord | undefined, batch: BatchRecord): BatchRecord {
  const isTrueStill = batch.state !== 'unresolved' || isDeepStrictEqual(before?.rows, batch.rows);
  if (isTrueStill) return batch;
  return { ...batch, announced: batch.announced.filter((event) => event !== 'batch.unresolved') };
}

/** Fewer rows unknown; or as many, but it says which: those in doubt. */
function tellsMore(one: BatchRecord, other: BatchRecord): boolean {
  const pendingIn = ({ finalSummary }: BatchRecord) => finalSummary?.summary.pending ?? 0;
  if (one.rows.unknown !== other.rows.unknown) return one.rows.unknown < other.rows.unknown;
  return pendingIn(one) < pendingIn(other);
}

function isOpen({ state }: BatchRecord): boolean {
  return state === 'submitted' || state === 'unmatched' || state === 'unresolved';
}

/** The record with what reading back found; `undefined` for a batch that is not open. */
export function withResolution(
  current: BatchRecord | undefined,
  resolution: Resolution,
): BatchRecord | undefined {
  if (current?.state !== 'submitted') return undefined;
  return batchFrom(current.batchId, { ...current, resolution }, current);
}

/** The open batch after a look at its rows that told nothing of some: it has been looked at since the first one. */
export function withLook(current: BatchRecord | undefined, at: string): BatchRecord | undefined {
  if (current?.state !== 'submitted' || current.lookedAt !== undefined) return undefined;
  return { ...current, lookedAt: at };
}

import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { definedOf } from '../../collections/defined-of.ts';
import { jsonBytes } from '../../collections/packer.ts';
import { rejectedRowSchema } from '../../events/outgoing.ts';
import type { BatchAnswer, RowError } from '../../marketplace/batch.ts';
import { type RowNames, type RowReference, rowOutcomes } from '../../marketplace/row-outcomes.ts';
import type {
  BatchRecord,
  Contradiction,
  FinalSummary,
  RejectedRow,
  Resolution,
  Submission,
} from '../model.ts';
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
  const candidate = withReportDue(current, batchFrom(batchId, { ...current, finalSummary }, current));
  if (current?.finalSummary === undefined || settlesMore(candidate, current)) return candidate;
  // Whether it contradicts its batch is decided when the batch is known.
  return current.submission === undefined ? withContradiction(current, finalSummary) : undefined;
}

/**
 * The record with what reading back found, or an operator said; `undefined` for a batch that is neither open nor
 * unresolved, and where nothing more is known of an unresolved one.
 */
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

/** The open batch after its rows were read back and some could not be: it keeps the time of the first such reading. */
export function withFailedReadBack(current: BatchRecord | undefined, at: string): BatchRecord | undefined {
  if (current?.state !== 'submitted' || current.lookedAt !== undefined) return undefined;
  return { ...current, lookedAt: at };
}

/** What is left of an unmatched summary when batch `to` has it: no row is counted twice, and no store lists it. */
export function asMatched(summary: BatchRecord, to: string): BatchRecord {
  return { ...withoutRows(summary), state: 'matched', matchedTo: to };
}

/** An unmatched summary that an operator has discarded: no store lists it, and what it said is kept, to know it again. */
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
  const said = (some: FinalSummary) => [some.summary, some.rejectedRows, some.acceptedRows];
  return isDeepStrictEqual(said(one), said(other));
}

function digestOf(finalSummary: FinalSummary | Contradiction): string {
  if ('digest' in finalSummary) return finalSummary.digest;
  const { summary, rejectedRows } = finalSummary;
  return createHash('sha256')
    .update(JSON.stringify([summary, rejectedRows]))
    .digest('hex');
}

/** Where a batch stays unresolved, but of other rows, what was reported of it is not true any more. */
function withReportDue(before: BatchRecord | undefined, batch: BatchRecord): BatchRecord {
  const isCurrent = batch.state !== 'unresolved' || isDeepStrictEqual(before?.rows, batch.rows);
  if (isCurrent) return batch;
  return { ...batch, announced: batch.announced.filter((event) => event !== 'batch.unresolved') };
}

/** Fewer rows are unknown; or as many, but it says which. */
function settlesMore(one: BatchRecord, other: BatchRecord): boolean {
  const pendingIn = ({ finalSummary }: BatchRecord) => finalSummary?.summary.pending ?? 0;
  if (one.rows.unknown !== other.rows.unknown) return one.rows.unknown < other.rows.unknown;
  return pendingIn(one) < pendingIn(other);
}

/** A row error of the marketplace's (§2) as a batch keeps it. */
export function rejectedRowOf(error: RowError): RejectedRow {
  return definedOf(rejectedRowSchema.parse({ ...error, message: error.message ?? error.code }));
}

/**
 * What a batch keeps of the answer that began it. An error whose row is not known is kept without a number: it
 * rejects none, and the rows that it leaves unsettled are unknown.
 *
 * @param sent what each row of the request is named by
 */
export function answeredRows(
  sent: readonly RowNames[],
  answer: Pick<BatchAnswer, 'summary' | 'acceptedRows' | 'errors'>,
): Pick<Submission, 'sentRows' | 'rejectedRows' | 'unknownRows'> {
  const reported = rowOutcomes(sent, answer);
  const known = reported.flatMap((row, rowIndex) =>
    row.outcome === 'rejected' ? [{ error: row.error, row: { ...rejectedRowOf(row.error), rowIndex } }] : [],
  );
  const unknownRows = [...reported.keys()].filter((row) => reported[row]?.outcome === 'unknown');
  // Where no row is unknown the others are further errors about rows that are rejected.
  const stray =
    unknownRows.length === 0 ? [] : answer.errors.filter((one) => known.every(({ error }) => error !== one));
  return {
    sentRows: sent.length,
    rejectedRows: [
      ...known.map(({ row }) => ({ ...namesOf(sent[row.rowIndex] ?? {}), ...row })),
      ...stray.map((error) => rejectedRowOf({ ...error, rowIndex: undefined })),
    ],
    ...(unknownRows.length > 0 && { unknownRows }),
  };
}

/** Rows that are named as accepted, in few words: by number where there is one. */
export function acceptedRowsOf(rows: readonly RowReference[]): NonNullable<FinalSummary['acceptedRows']> {
  return rows.map((row) => (row.rowIndex === undefined ? namesOf(row) : { rowIndex: row.rowIndex }));
}

function namesOf({ sku, id, externalId, orderId, invoiceNumber }: RowNames): RowNames {
  return definedOf({ sku, id, externalId, orderId, invoiceNumber });
}

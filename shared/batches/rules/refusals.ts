import type { FinalSummary, RejectedRow, Resolution, Submission } from '../model.ts';
import { isAbout } from './is-about.ts';

/** A product with this externalId exists already (§4.5). */
const ALREADY_EXISTS = 'PRD_002';

/** What is known of a batch; at least its submission or its final summary. */
export interface BatchFacts {
  readonly submission?: Submission | undefined;
  readonly finalSummary?: FinalSummary | undefined;
  readonly resolution?: Resolution | undefined;
}

/** What the rows come to that the answer or the final summary of a batch refused. */
export interface Refusals {
  /** Refused rows, whatever they come to. */
  readonly count: number;
  readonly rejectedRows: readonly RejectedRow[];
  /** Refused for now, and perhaps made by another try all the same: nobody knows before they are read back. */
  readonly inDoubt: readonly RejectedRow[];
}

/**
 * Judges what was refused. Where the outcome of an earlier try of the same rows never became known, what exists already
 * was made by it, and what is refused only for now may be: before this try, beside it, or yet.
 */
export function refusalsOf({ submission, finalSummary, resolution }: BatchFacts): Refusals {
  const final = finalSummary?.rejectedRows ?? [];
  if (submission?.uncertain !== true) {
    const rejectedRows = unite(submission?.rejectedRows ?? [], final);
    return { count: rejectedRows.length, rejectedRows, inDoubt: [] };
  }
  const isClosed = isEndedByAnswer(submission);
  const mayBeMade = (row: RejectedRow) => !isClosed && isForNow(row);
  const isToldOtherwise = finalSummary !== undefined && namesEveryFailure(finalSummary, submission);
  const answered = submission.rejectedRows.filter((row) => !(isToldOtherwise && mayBeMade(row)));
  const refused = unite(answered, final);
  const forNow = refused.filter(mayBeMade);
  const forGood = refused.filter((row) => !mayBeMade(row) && row.code !== ALREADY_EXISTS);
  const { missing, inDoubt } = lookedUp(forNow, resolution);
  return { count: refused.length, rejectedRows: [...forGood, ...missing], inDoubt };
}

/** Whether the answer itself ended the batch: no summary follows, and it left no row in doubt. */
export function isEndedByAnswer({ endsBy, uncertain, rejectedRows }: Submission): boolean {
  return endsBy === 'answer' && !(uncertain === true && rejectedRows.some(isForNow));
}

/** Whether the marketplace itself says that the row may yet be made, and says which row. */
function isForNow({ details, rowIndex, externalId }: RejectedRow): boolean {
  return details?.retryable === true && (rowIndex !== undefined || externalId !== undefined);
}

/** Whether a row that the summary does not name was made. */
function namesEveryFailure({ summary, rejectedRows }: FinalSummary, { sentRows }: Submission): boolean {
  return summary.pending === 0 && summary.total >= sentRows && rejectedRows.length >= summary.failed;
}

/** Rows in doubt that reading back did not find, and those that it could not tell of. */
function lookedUp(rows: readonly RejectedRow[], resolution: Resolution | undefined) {
  if (resolution === undefined) return { missing: [], inDoubt: rows };
  const { rejectedRows, unknownRows } = resolution;
  return {
    missing: rejectedRows.filter((one) => rows.some((row) => isAbout(row, one))),
    inDoubt: rows.filter((row) => unknownRows.some((one) => isAbout(row, one))),
  };
}

/** One rejection per row; the later word on a row counts over the answer's. */
function unite(answered: readonly RejectedRow[], final: readonly RejectedRow[]): RejectedRow[] {
  const byRow = new Map<string, RejectedRow>();
  for (const row of [...answered, ...final]) byRow.set(keyOf(row, byRow.size), row);
  return [...byRow.values()];
}

function keyOf(row: RejectedRow, ordinal: number): string {
  if (row.rowIndex !== undefined) return `row ${row.rowIndex}`;
  return row.externalId ?? row.sku ?? row.id ?? row.orderId ?? `unnamed ${ordinal}`;
}

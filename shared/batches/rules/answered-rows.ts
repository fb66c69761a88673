import { definedOf } from '../../collections/defined-of.ts';
import { packAll } from '../../collections/packer.ts';
import { rejectedRowSchema } from '../../events/outgoing.ts';
import type { RowError } from '../../marketplace/batch.ts';
import {
  namesOf,
  type RowNames,
  type RowReference,
  type RowReport,
  rowOutcomes,
} from '../../marketplace/row-outcomes.ts';
import type { FinalSummary, RejectedRow, Submission } from '../model.ts';

/** A row error of the marketplace (§2) as a batch stores it. */
export function rejectedRowOf(error: RowError): RejectedRow {
  return definedOf(rejectedRowSchema.parse({ ...error, message: error.message ?? error.code }));
}

/**
 * The rows of an answer as a batch stores them. An error that identifies no row is stored without a `rowIndex` and rejects no
 * row: the unsettled rows are unknown.
 *
 * @param sent the names of each row of the request
 * @param reported what the answer says of each row. Default: worked out here.
 */
export function answeredRows(
  sent: readonly RowNames[],
  answer: RowReport<RowError>,
  reported = rowOutcomes(sent, answer),
): Pick<Submission, 'sentRows' | 'rejectedRows' | 'unknownRows'> {
  const known = reported.flatMap((row, rowIndex) =>
    row.outcome === 'rejected' ? [{ error: row.error, row: { ...rejectedRowOf(row.error), rowIndex } }] : [],
  );
  const unknownRows = [...reported.keys()].filter((row) => reported[row]?.outcome === 'unknown');
  // If no row is unknown, the other errors are about rows that are rejected already.
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

/** More rows than a request has. A larger summary belongs to a batch of another system. */
const ACCEPTED_ROWS_LIMITS = { maxItems: 10_000, maxBytes: 200_000 };

/** The first references to accepted rows in their shortest form: by `rowIndex` if there is one. */
export function acceptedRowsOf(rows: readonly RowReference[]): NonNullable<FinalSummary['acceptedRows']> {
  const short = rows.map((row) => (row.rowIndex === undefined ? namesOf(row) : { rowIndex: row.rowIndex }));
  return packAll(short, ACCEPTED_ROWS_LIMITS)[0] ?? [];
}

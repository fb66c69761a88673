import { rejectedRowSchema } from '../../events/outgoing.ts';
import type { BatchAnswer, RowError } from '../../marketplace/batch.ts';
import { type RowNames, type RowReference, rowOutcomes } from '../../marketplace/row-outcomes.ts';
import type { FinalSummary, RejectedRow, Submission } from '../model.ts';
import { definedOf } from './batch-record.ts';

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
      ...known.map(({ row }) => ({ ...definedOf(namesOf(sent[row.rowIndex] ?? {})), ...row })),
      ...stray.map((error) => rejectedRowOf({ ...error, rowIndex: undefined })),
    ],
    ...(unknownRows.length > 0 && { unknownRows }),
  };
}

/** Rows that are named as accepted, in few words: by number where there is one. */
export function acceptedRowsOf(rows: readonly RowReference[]): NonNullable<FinalSummary['acceptedRows']> {
  return rows.map((row) =>
    row.rowIndex === undefined ? definedOf(namesOf(row)) : { rowIndex: row.rowIndex },
  );
}

function namesOf({ sku, id, externalId, orderId, invoiceNumber }: RowNames): RowNames {
  return { sku, id, externalId, orderId, invoiceNumber };
}

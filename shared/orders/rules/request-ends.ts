import { z } from 'zod';
import { definedOf } from '../../collections/defined-of.ts';
import { acceptedRow, rowError, summaryCounts } from '../../marketplace/batch.ts';
import type { MarketplaceError } from '../../marketplace/errors.ts';
import { decision } from '../../marketplace/fields.ts';
import { type RowNames, rowOutcomes } from '../../marketplace/row-outcomes.ts';
import type { RequestRecord } from '../../requests/model.ts';

/** What was found of each order of a request right before it was sent; kept with its record, so that it is judged once. */
const judgedRowSchema = z.object({
  verdict: z.enum(['sent', 'done before', 'rejected']),
  decision: decision.optional(),
  /** Why it is rejected. */
  code: z.string().optional(),
  message: z.string().optional(),
  /** The batch in which the same was done before. */
  batchId: z.string().optional(),
});
export type JudgedRow = z.infer<typeof judgedRowSchema>;

/** What the marketplace answered about the orders that were sent. */
const orderReportSchema = z.object({
  batchId: z.string().optional(),
  requestId: z.string().optional(),
  summary: summaryCounts,
  acceptedRows: z.array(acceptedRow),
  errors: z.array(rowError),
});
export type OrderReport = z.infer<typeof orderReportSchema>;

/** `note` and `answer` of the record of a request about orders; a request in which nothing had to be sent has no report. */
export const orderAnswerSchema = z.object({
  rows: z.array(judgedRowSchema),
  report: orderReportSchema.optional(),
});
export type OrderAnswer = z.infer<typeof orderAnswerSchema>;

/** How a request ended for one of its rows. */
export interface RowEnd {
  /** `refused` by the marketplace; `rejected` without being sent. */
  readonly state: 'done' | 'done before' | 'refused' | 'rejected' | 'unknown';
  readonly code?: string | undefined;
  readonly message?: string | undefined;
  /** The batch that has the row. */
  readonly batchId?: string | undefined;
  readonly requestId?: string | undefined;
  readonly decision?: JudgedRow['decision'];
}

const UNCLEAR = { code: 'ROW_UNCLEAR', message: 'the answer does not say which of the orders it skipped' };

/** How a request that has its end ended for each of its rows, in their order. */
export function endsOf(record: RequestRecord): RowEnd[] {
  const { state, rows, fault, tries } = record;
  const { code = 'UNKNOWN', message = code, requestId } = fault ?? {};
  const why = definedOf({ code, message, requestId });
  // What was discarded was never sent.
  if (state === 'refused') return rows.map(() => ({ state: tries === 0 ? 'rejected' : 'refused', ...why }));
  const { rows: judged = [], report } = orderAnswerSchema.safeParse(
    state === 'answered' ? record.answer : record.note,
  ).data ?? { rows: undefined };
  const reported = report && reportedEnds(record, judged, report);
  let sent = 0;
  return rows.map((_, position): RowEnd => {
    const { verdict, ...known }: JudgedRow = judged[position] ?? { verdict: 'sent' };
    if (verdict !== 'sent') return { ...known, state: verdict };
    const end = reported?.[sent] ?? { state: 'unknown', ...why };
    sent += 1;
    return { ...end, ...(known.decision && { decision: known.decision }) };
  });
}

/** The batch that a request of dropoffs began. No summary can name one whose answer gave no ID: it is kept under our own. */
export function batchIdOf(
  { kind, recordId }: RequestRecord,
  { batchId, requestId }: OrderReport,
): string | undefined {
  return kind === 'dropoff' ? (batchId ?? requestId ?? recordId) : undefined;
}

/** The ends of the rows that were sent, in their order. */
function reportedEnds(record: RequestRecord, judged: readonly JudgedRow[], report: OrderReport): RowEnd[] {
  const facts = definedOf({ batchId: batchIdOf(record, report), requestId: report.requestId });
  const names = record.rows.filter((_, position) => judged[position]?.verdict === 'sent');
  return rowOutcomes(names, report).map((row): RowEnd => {
    if (row.outcome === 'unknown') return { state: 'unknown', ...facts, ...UNCLEAR };
    if (row.outcome !== 'rejected') return { state: 'done', ...facts };
    const { code, message = code } = row.error;
    return { state: 'refused', ...facts, code, message };
  });
}

/**
 * The refusal of a whole call as its answer, where it names each order that was sent as one that was skipped (ORDER_026,
 * §4.17); those left out would pass for taken.
 */
export function reportOfRefusal(
  { code, context, requestId }: MarketplaceError,
  sent: readonly RowNames[],
): OrderReport | undefined {
  if (code !== 'ORDER_026') return undefined;
  const { summary = {}, errors = [] } = context ?? {};
  const report = definedOf({ requestId, summary, acceptedRows: [], errors });
  return rowOutcomes(sent, report).every(({ outcome }) => outcome === 'rejected') ? report : undefined;
}

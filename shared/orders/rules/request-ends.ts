import * as z from 'zod';
import { definedOf } from '../../collections/defined-of.ts';
import { acceptedRow, rowError, summaryCounts } from '../../marketplace/batch.ts';
import type { MarketplaceError } from '../../marketplace/errors.ts';
import { decision } from '../../marketplace/fields.ts';
import { type RowNames, rowOutcomes } from '../../marketplace/row-outcomes.ts';
import type { RequestRecord } from '../../requests/model.ts';

/** The verdict on a row right before its request was sent. It is stored with the request, so that it never changes. */
const judgedRowSchema = z.object({
  /** `done before`: an earlier request was accepted. Earlier versions read these words too. */
  verdict: z.enum(['sent', 'done before', 'rejected']),
  decision: decision.optional(),
  code: z.string().optional(),
  message: z.string().optional(),
  /** The batch with the same action, accepted before. */
  batchId: z.string().optional(),
});
export type JudgedRow = z.infer<typeof judgedRowSchema>;

/** The marketplace's answer about the sent orders, as the ledger stores it: only fields that the specification names. */
export const orderReportSchema = z.object({
  batchId: z.string().optional(),
  requestId: z.string().optional(),
  success: z.boolean().optional(),
  summary: summaryCounts.strip(),
  acceptedRows: z.array(acceptedRow.strip()),
  errors: z.array(rowError),
});
export type OrderReport = z.infer<typeof orderReportSchema>;

/** `note` and `answer` of a request about orders. An answer without a report: there was nothing to send. */
export const orderRequestAnswerSchema = z.object({
  rows: z.array(judgedRowSchema),
  report: orderReportSchema.optional(),
});
export type OrderAnswer = z.infer<typeof orderRequestAnswerSchema>;

/** The end of a request for one of its rows. */
export interface RowEnd {
  readonly state: 'accepted' | 'rejected' | 'unknown';
  /** Absent for a row that was not sent: it was accepted before, or the connector rejected it. */
  readonly wasSent?: true;
  readonly code?: string | undefined;
  readonly message?: string | undefined;
  readonly batchId?: string | undefined;
  readonly requestId?: string | undefined;
  readonly decision?: JudgedRow['decision'];
}

const UNCLEAR = { code: 'ROW_UNCLEAR', message: 'the answer does not name the orders that it skipped' };

/** The end of an ended request for each of its rows, in their order. */
export function endsOf(record: RequestRecord): RowEnd[] {
  const { state, rows, fault, tries } = record;
  const { code = 'UNKNOWN', message = code, requestId } = fault ?? {};
  const why = definedOf({ code, message, requestId });
  // If there was no try, the rows were discarded.
  if (state === 'refused') {
    const note = orderRequestAnswerSchema.safeParse(record.note).data;
    return rows.map((_, position) => ({
      state: 'rejected',
      ...why,
      ...(tries !== 0 && { wasSent: true }),
      ...definedOf({ decision: note?.rows[position]?.decision }),
    }));
  }
  const stored = orderRequestAnswerSchema.safeParse(state === 'answered' ? record.answer : record.note);
  const { rows: judged, report }: OrderAnswer = stored.data ?? { rows: [] };
  const reported = report && reportedEnds(record, judged, report);
  let sent = 0;
  return rows.map((_, position): RowEnd => {
    const { verdict, ...known }: JudgedRow = judged[position] ?? { verdict: 'sent' };
    if (verdict !== 'sent') return { ...known, state: verdict === 'rejected' ? verdict : 'accepted' };
    const end = reported?.[sent] ?? { state: 'unknown', ...why };
    sent += 1;
    return { ...end, wasSent: true, ...(known.decision && { decision: known.decision }) };
  });
}

/** The ID of the batch of a request for dropoffs. If the answer has no ID, the ID of the request's record is used. */
export function batchIdOf(
  { kind, recordId }: RequestRecord,
  { batchId, requestId }: OrderReport,
): string | undefined {
  return kind === 'dropoff' ? (batchId ?? requestId ?? recordId) : undefined;
}

function reportedEnds(record: RequestRecord, judged: readonly JudgedRow[], report: OrderReport): RowEnd[] {
  const facts = definedOf({ batchId: batchIdOf(record, report), requestId: report.requestId });
  const names = record.rows.filter((_, position) => judged[position]?.verdict === 'sent');
  return rowOutcomes(names, report).map((row): RowEnd => {
    if (row.outcome === 'unknown') return { state: 'unknown', ...facts, ...UNCLEAR };
    if (row.outcome !== 'rejected') return { state: 'accepted', ...facts };
    const { code, message = code } = row.error;
    return { state: 'rejected', ...facts, code, message };
  });
}

/**
 * The refusal of a whole call (ORDER_026, §4.17) as a report; `undefined` unless the refusal names every sent order as skipped. In a
 * report, an order without a name would count as accepted.
 */
export function reportOfRefusal(
  { code, context, requestId }: MarketplaceError,
  sent: readonly RowNames[],
): OrderReport | undefined {
  if (code !== 'ORDER_026') return undefined;
  const { summary = {}, errors = [] } = context ?? {};
  const report = { ...definedOf({ requestId }), summary, acceptedRows: [], errors };
  return rowOutcomes(sent, report).every(({ outcome }) => outcome === 'rejected') ? report : undefined;
}

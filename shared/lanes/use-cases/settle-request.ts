import type { BatchKind } from '../../batches/model.ts';
import { answeredRows } from '../../batches/rules/report.ts';
import { recordSubmission } from '../../batches/use-cases/record-batch.ts';
import { fieldsOfTarget } from '../../listings/rules/target.ts';
import type { BatchAnswer } from '../../marketplace/batch.ts';
import type { MarketplaceError } from '../../marketplace/errors.ts';
import { countByCode } from '../../rejections/rules/count-by-code.ts';
import { reportRejections } from '../../rejections/use-cases/report-rejections.ts';
import { outcomesOf, type Verdict, verdictOf } from '../rules/read-outcome.ts';
import { rejectionOfRow } from '../rules/row-rejection.ts';
import type { LaneContext } from './lane-context.ts';
import { settleRows } from './settle-rows.ts';
import type { SignedRequest } from './signed-request.ts';

/** What the lane needs to know of a request that is over. */
export type SendResult =
  | { readonly verdict: 'done'; readonly rejections: Readonly<Record<string, number>> }
  /** The rows are fenced in their listings until the last possible landing of the request is over. */
  | { readonly verdict: 'unknown' }
  /** Nothing was done, because of some row: the rows are to be sent in two requests. */
  | { readonly verdict: 'bisect' }
  /** Nothing left: the choice of its rows was not right any more. */
  | { readonly verdict: 'withdrawn' }
  | Refusal;

/** Nothing was done, and nothing more is to be sent for now. */
export interface Refusal {
  readonly verdict: Exclude<Verdict, 'unknown' | 'bisect'>;
  readonly error: MarketplaceError;
}

/** Records what the answer says of each row. */
export async function settleAnswer(
  context: LaneContext,
  signed: SignedRequest,
  answer: BatchAnswer,
): Promise<SendResult> {
  const { ports, settings, store } = context;
  const { request, attemptId } = signed;
  const now = ports.clock.now();
  const sent = request.rows.map(({ listing }) => listing);
  const unknownUntil = signed.signedAt + settings.attemptLifetimeMs;
  const outcomes = outcomesOf(sent, answer, { now, unknownUntil, random: ports.random });
  const { batchId } = await recordSubmission(ports, {
    batchId: answer.batchId ?? answer.requestId ?? attemptId,
    kind: request.kind satisfies BatchKind,
    storeClientId: store.storeClientId,
    attemptId,
    submittedAt: new Date(now).toISOString(),
    deadlineAt: new Date(now + settings.batchDeadlineMs).toISOString(),
    ...answeredRows(
      sent.map(({ target }) => fieldsOfTarget(target)),
      answer,
    ),
    endsBy: 'answer',
    ...(answer.requestId === undefined ? {} : { requestId: answer.requestId }),
  });
  await settleRows(context, signed, (index) => outcomes[index]);
  await ports.attempts.close(attemptId, 'answered', batchId);
  const rejected = outcomes.filter((row) => row.outcome === 'rejected');
  return { verdict: 'done', rejections: countByCode(rejected) };
}

/** Records what a failure means for the rows. */
export async function settleFailure(
  context: LaneContext,
  signed: SignedRequest,
  error: MarketplaceError,
): Promise<SendResult> {
  const verdict = verdictOf(error);
  if (verdict === 'unknown') {
    const notBefore = signed.signedAt + context.settings.attemptLifetimeMs;
    await settleRows(context, signed, () => ({ outcome: 'unknown', notBefore }));
    await context.ports.attempts.close(signed.attemptId, 'unknown');
    return { verdict };
  }
  if (error.outcome === 'refused') await context.ports.attempts.close(signed.attemptId, 'refused');
  if (verdict !== 'bisect') return { verdict, error };
  if (signed.request.rows.length > 1) return { verdict };
  await rejectRow(context, signed, error);
  return { verdict: 'done', rejections: { [error.code]: 1 } };
}

/** The one row of a request that was refused as a whole. */
async function rejectRow(
  context: LaneContext,
  signed: SignedRequest,
  error: MarketplaceError,
): Promise<void> {
  const { ports } = context;
  const [row] = signed.request.rows;
  if (row === undefined) return;
  await reportRejections(ports, [rejectionOfRow(row, error, signed.signedAt)]);
  await settleRows(context, signed, () => ({ outcome: 'rejected', code: error.code }));
}

import type { BatchKind } from '../../batches/model.ts';
import { answeredRows } from '../../batches/rules/report.ts';
import { recordSubmission } from '../../batches/use-cases/record-batch.ts';
import { forEachConcurrently } from '../../collections/for-each-concurrently.ts';
import { fieldsOfTarget } from '../../listings/rules/target.ts';
import { learnAliases } from '../../listings/use-cases/learn-aliases.ts';
import type { BatchAnswer } from '../../marketplace/batch.ts';
import type { MarketplaceError } from '../../marketplace/errors.ts';
import { countByCode } from '../../rejections/rules/count-by-code.ts';
import { reportRejections } from '../../rejections/use-cases/report-rejections.ts';
import { productNames } from '../rules/product-names.ts';
import { outcomesOf, type Verdict, verdictOf } from '../rules/read-outcome.ts';
import { rejectionOfRow } from '../rules/row-rejection.ts';
import type { LaneContext } from './lane-context.ts';
import type { LaneRequest } from './pick-request.ts';
import { settleRows } from './settle-rows.ts';
import type { SignedRequest } from './signed-request.ts';

/** Products whose names are joined at a time. */
const LEARN_CONCURRENCY = 10;

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

/** Records what the answer says of each row, and joins the names that it shows to be one product. */
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
  // Before the outcomes: what a crash leaves unsettled goes again, and shows its names again.
  await learnFrom(context, request, answer);
  await settleRows(context, signed, (index) => outcomes[index]);
  await ports.attempts.close(attemptId, 'answered', batchId);
  const rejected = outcomes.filter((row) => row.outcome === 'rejected');
  return { verdict: 'done', rejections: countByCode(rejected) };
}

/**
 * Makes the names that the answer shows of one product one listing: where the store uses more than one kind of name, and
 * of a listing by externalId, as prices go, and products are read, by another name only (§4.8, 4.12, 4.13).
 */
async function learnFrom(
  { ports, store: { storeClientId } }: LaneContext,
  { rows }: LaneRequest,
  answer: BatchAnswer,
): Promise<void> {
  const products = productNames(
    rows.map(({ listing }) => listing),
    answer,
  );
  // Asked at each answer: the listing of another name may be younger than this holder's time with the lane.
  if (products.length === 0) return;
  const isMixed = await ports.listings.hasSeveralNames(storeClientId);
  const wanted = isMixed ? products : products.filter(([own = '']) => own.startsWith('externalId:'));
  await forEachConcurrently(wanted, LEARN_CONCURRENCY, async (names) => {
    await learnAliases(ports, storeClientId, names);
  });
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

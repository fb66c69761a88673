import { answeredRows } from '../../batches/rules/answered-rows.ts';
import { recordSubmission } from '../../batches/use-cases/record-batch.ts';
import { forEachConcurrently } from '../../collections/for-each-concurrently.ts';
import type { PlannedUpdate } from '../../listings/ports.ts';
import { isForOneOfSeveral, type SentRowOutcome, settleRow } from '../../listings/rules/row.ts';
import { fieldsOfTarget } from '../../listings/rules/target.ts';
import type { BatchAnswer } from '../../marketplace/batch.ts';
import type { MarketplaceError } from '../../marketplace/errors.ts';
import { mayBeOfRows, meaningOf, namesFault } from '../../marketplace/failures.ts';
import { countByCode } from '../../rejections/model.ts';
import { reportRejections } from '../../rejections/use-cases/report-rejections.ts';
import type { EpochMs } from '../../time/times.ts';
import { outcomesOf, rejectionOfRow, retryable, unknownOutcome } from '../rules/read-outcome.ts';
import type { LaneContext } from './lane-context.ts';
import type { Refusal } from './lane-exit.ts';
import type { LaneRequest, OutgoingRow } from './pick-request.ts';

/** One bulk request with the time of its last signature, epoch ms. */
export interface SignedRequest {
  readonly request: LaneRequest;
  readonly attemptId: string;
  signedAt: EpochMs;
  /** Absent until its answer is known. */
  readonly batchId?: string;
}

/** The result of a request for its lane. */
export type SendResult =
  | { readonly verdict: 'done'; readonly rejections: Readonly<Record<string, number>> }
  /** Its rows are not sent again until the request can't land any more. */
  | { readonly verdict: 'unknown' }
  /** Refused as a whole because of a row. Its rows are sent in smaller requests. */
  | { readonly verdict: 'rows' }
  /** Other rows must be sent first, its rows are held, or no permit was free. */
  | { readonly verdict: 'not-sent' }
  | Refusal;

/** Listings written at a time. */
const WRITE_CONCURRENCY = 10;

/** Settles each row by the answer. */
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
    kind: request.kind,
    storeClientId: store.storeClientId,
    attemptId,
    submittedAt: new Date(now).toISOString(),
    deadlineAt: new Date(now + settings.batchDeadlineMs).toISOString(),
    ...answeredRows(
      sent.map(({ target }) => fieldsOfTarget(target)),
      answer,
    ),
    endsBy: 'answer',
    ...(answer.requestId && { requestId: answer.requestId }),
  });
  await settleRows(context, { ...signed, batchId }, (index) => outcomes[index]);
  const rejected = outcomes.filter((row) => row.outcome === 'rejected');
  return { verdict: 'done', rejections: countByCode(rejected) };
}

/** Settles the rows after a failed request. */
export async function settleFailure(
  context: LaneContext,
  signed: SignedRequest,
  error: MarketplaceError,
): Promise<SendResult> {
  const verdict = meaningOf(error);
  if (verdict === 'unknown') {
    const notBefore = signed.signedAt + context.settings.attemptLifetimeMs;
    const [row, ...others] = signed.request.rows;
    // A row that makes the marketplace fail must not be first again as soon as it is due.
    const outcome: SentRowOutcome =
      row !== undefined && others.length === 0
        ? unknownOutcome(row.listing, notBefore, context.ports.random)
        : { outcome: 'unknown', notBefore };
    await settleRows(context, signed, () => outcome);
    return { verdict };
  }
  if (verdict !== 'rows') {
    // Others must not wait for a row that is refused each time.
    if (verdict === 'not-now' && mayBeOfRows(error)) await settleAloneForNow(context, signed);
    return { verdict, error };
  }
  if (signed.request.rows.length > 1) return { verdict };
  return settleOnlyRow(context, signed, error);
}

/** Settles the row of a request that was refused for now, if it is alone. */
async function settleAloneForNow(context: LaneContext, signed: SignedRequest): Promise<void> {
  const [row, ...others] = signed.request.rows;
  if (row === undefined || others.length > 0) return;
  const { clock, random } = context.ports;
  await settleRows(context, signed, () => retryable(row.listing, clock.now(), random));
}

/** Settles the only row of a request that was refused as a whole. */
async function settleOnlyRow(
  context: LaneContext,
  signed: SignedRequest,
  error: MarketplaceError,
): Promise<SendResult> {
  const { ports } = context;
  const [row] = signed.request.rows;
  // A faulty marketplace that answers without a code must not reject all values.
  if (row === undefined || !namesFault(error)) {
    await settleAloneForNow(context, signed);
    return { verdict: 'done', rejections: {} };
  }
  const outcome = { outcome: 'rejected', code: error.code } as const;
  // One of several values is reported once it was refused alone.
  if (!isForOneOfSeveral(outcome, row))
    await reportRejections(ports, [rejectionOfRow(row, error, signed.signedAt)]);
  await settleRows(context, signed, () => outcome);
  return { verdict: 'done', rejections: { [error.code]: 1 } };
}

/** Writes the outcome of each row into its listing; nothing for `undefined`. */
async function settleRows(
  { store, ports: { listings, clock } }: LaneContext,
  { request, signedAt, batchId }: SignedRequest,
  outcomeOf: (index: number) => SentRowOutcome | undefined,
): Promise<void> {
  const rows: readonly OutgoingRow<unknown>[] = request.rows;
  // The same time for all rows, so that they fit into the same pages.
  const now = clock.now();
  const updates = rows.flatMap(({ listing, registers }, index): PlannedUpdate[] => {
    const outcome = outcomeOf(index);
    if (outcome === undefined) return [];
    const row = { registers, versionKind: listing.versionKind, signedAt, batchId };
    const change: PlannedUpdate['change'] = (current) => current && settleRow(current, row, outcome, now);
    return [{ target: listing.target, known: listing, change }];
  });
  const prepared = await listings.prepare(store.storeClientId, updates);
  await forEachConcurrently(updates, WRITE_CONCURRENCY, async ({ target, change, known }) => {
    await listings.update(store.storeClientId, target, change, known, prepared);
  });
}

import type { BatchKind } from '../../batches/model.ts';
import { rejectedRowOf } from '../../batches/rules/rejected-row.ts';
import { recordSubmission } from '../../batches/use-cases/record-submission.ts';
import { forEachConcurrently } from '../../collections/for-each-concurrently.ts';
import type { RowOutcome } from '../../listings/rules/settle-row.ts';
import { settleRow } from '../../listings/rules/settle-row.ts';
import { fieldsOfTarget } from '../../listings/rules/target.ts';
import type { BatchAnswer } from '../../marketplace/batch.ts';
import { MarketplaceError } from '../../marketplace/errors.ts';
import type { CallOptions } from '../../marketplace/options.ts';
import type { Rejection } from '../../rejections/model.ts';
import { reportRejections } from '../../rejections/use-cases/report-rejections.ts';
import type { Store } from '../../stores/model.ts';
import { outcomesOf, type Verdict, verdictOf } from '../rules/read-outcome.ts';
import type { LaneSettings, PushLanePorts } from './lane-ports.ts';
import type { LaneRequest, OutgoingRow } from './pick-request.ts';

/** The lane was taken over: whatever this invocation still wanted to send is now the new holder's. */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError';
}

/** What the lane needs to know of a request that is over. */
export type SendResult =
  | { readonly verdict: 'done'; readonly rows: number; readonly rejected: number }
  /** `fencedUntil`: epoch ms at which the last possible landing of the request is over. */
  | { readonly verdict: 'unknown'; readonly fencedUntil: number }
  | { readonly verdict: Exclude<Verdict, 'unknown' | 'bisect'>; readonly error: MarketplaceError };

export interface SendContext {
  readonly ports: PushLanePorts;
  readonly settings: LaneSettings;
  readonly store: Store;
  readonly leaseId: string;
  readonly signal: AbortSignal;
}

/**
 * Sends one bulk request: its attempt durable and the lease long enough before it leaves, every row's outcome written
 * to its listing before it returns.
 *
 * @throws LeaseLostError when the lane is not ours any more; nothing was sent then
 */
export async function sendRequest(context: SendContext, request: LaneRequest): Promise<SendResult> {
  const attemptId = context.ports.newId();
  let signedAt = context.ports.clock.now();
  const onAttempt: CallOptions['onAttempt'] = async (attempt) => {
    signedAt = attempt.signedAt;
    await makeDurable(context, request, attemptId, signedAt);
  };
  try {
    const answer = await call(context, request, onAttempt);
    return await settleAnswer(context, request, attemptId, answer);
  } catch (error) {
    if (!(error instanceof MarketplaceError)) throw error;
    return settleFailure(context, request, { attemptId, signedAt, error });
  }
}

function call(
  { ports, store, signal }: SendContext,
  request: LaneRequest,
  onAttempt: CallOptions['onAttempt'],
) {
  const options: CallOptions = onAttempt === undefined ? { signal } : { signal, onAttempt };
  return request.kind === 'stock'
    ? ports.marketplace.updateStocks(store, { items: request.rows.map(({ row }) => row) }, options)
    : ports.marketplace.updatePrices(store, { items: request.rows.map(({ row }) => row) }, options);
}

async function makeDurable(
  { ports, settings, store, leaseId }: SendContext,
  { kind, rows }: LaneRequest,
  attemptId: string,
  signedAt: number,
): Promise<void> {
  await ports.attempts.put({
    attemptId,
    storeClientId: store.storeClientId,
    kind,
    signedAt,
    state: 'sent',
    rows: rows.map(({ listing }, rowIndex) => ({ rowIndex, ...fieldsOfTarget(listing.target) })),
  });
  const extended = await ports.lanes.extend(
    store.storeClientId,
    leaseId,
    signedAt + settings.attemptLifetimeMs,
  );
  if (!extended) throw new LeaseLostError(`the lane of ${store.storeClientId} has another holder`);
}

async function settleAnswer(
  context: SendContext,
  request: LaneRequest,
  attemptId: string,
  answer: BatchAnswer,
): Promise<SendResult> {
  const { ports, settings, store } = context;
  const now = ports.clock.now();
  const sent = request.rows.map(({ listing }) => listing);
  const outcomes = outcomesOf(sent, answer, now, ports.random);
  const batchId = answer.batchId ?? answer.requestId ?? attemptId;
  await recordSubmission(ports, {
    batchId,
    kind: request.kind satisfies BatchKind,
    storeClientId: store.storeClientId,
    attemptId,
    submittedAt: new Date(now).toISOString(),
    deadlineAt: new Date(now + settings.batchDeadlineMs).toISOString(),
    sentRows: request.rows.length,
    rejectedRows: answer.errors.map(rejectedRowOf),
    endsBy: 'answer',
    ...(answer.requestId === undefined ? {} : { requestId: answer.requestId }),
  });
  await settleRows(context, request, (index) => outcomes[index]);
  await ports.attempts.close(attemptId, 'answered', batchId);
  const rejected = outcomes.filter(({ outcome }) => outcome === 'rejected').length;
  return { verdict: 'done', rows: request.rows.length, rejected };
}

async function settleFailure(
  context: SendContext,
  request: LaneRequest,
  { attemptId, signedAt, error }: { attemptId: string; signedAt: number; error: MarketplaceError },
): Promise<SendResult> {
  const verdict = verdictOf(error);
  if (verdict === 'unknown') {
    const fencedUntil = signedAt + context.settings.attemptLifetimeMs;
    await settleRows(context, request, () => ({ outcome: 'unknown', notBefore: fencedUntil }));
    await context.ports.attempts.close(attemptId, 'unknown');
    return { verdict, fencedUntil };
  }
  if (error.outcome === 'refused') await context.ports.attempts.close(attemptId, 'refused');
  if (verdict !== 'bisect') return { verdict, error };
  if (request.rows.length > 1) return sendHalves(context, request);
  await rejectRow(context, request, error);
  return { verdict: 'done', rows: 1, rejected: 1 };
}

async function sendHalves(context: SendContext, request: LaneRequest): Promise<SendResult> {
  const middle = Math.ceil(request.rows.length / 2);
  const first = await sendRequest(context, part(request, 0, middle));
  if (first.verdict !== 'done') return first;
  const second = await sendRequest(context, part(request, middle));
  if (second.verdict !== 'done') return second;
  return {
    verdict: 'done',
    rows: first.rows + second.rows,
    rejected: first.rejected + second.rejected,
  };
}

function part(request: LaneRequest, start: number, end?: number): LaneRequest {
  return request.kind === 'stock'
    ? { kind: 'stock', rows: request.rows.slice(start, end) }
    : { kind: 'price', rows: request.rows.slice(start, end) };
}

/** The one row of a request that was refused as a whole. */
async function rejectRow(context: SendContext, request: LaneRequest, error: MarketplaceError): Promise<void> {
  const { ports, store } = context;
  const [row] = request.rows;
  if (row === undefined) return;
  const rejection: Rejection = {
    storeClientId: store.storeClientId,
    rejectionId: ports.newId(),
    rejectedAt: new Date(ports.clock.now()).toISOString(),
    code: error.code,
    message: error.message,
    target: row.listing.target,
    details: { ...error.context },
  };
  await reportRejections(ports, [rejection]);
  await settleRows(context, request, () => ({ outcome: 'rejected', code: error.code }));
}

/** Listings written at a time. */
const WRITE_CONCURRENCY = 10;

async function settleRows(
  { ports }: SendContext,
  request: LaneRequest,
  outcomeOf: (index: number) => RowOutcome | undefined,
): Promise<void> {
  const rows: [number, OutgoingRow<unknown>][] = [...request.rows.entries()];
  await forEachConcurrently(rows, WRITE_CONCURRENCY, async ([index, { listing, registers }]) => {
    const outcome = outcomeOf(index);
    if (outcome === undefined) return;
    await ports.listings.update(
      listing.storeClientId,
      listing.target,
      (current) => current && settleRow(current, registers, outcome, ports.clock.now()),
      listing,
    );
  });
}

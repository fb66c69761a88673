import type { BatchKind } from '../../batches/model.ts';
import { rejectedRowOf } from '../../batches/rules/rejected-row.ts';
import { recordSubmission } from '../../batches/use-cases/record-submission.ts';
import { forEachConcurrently } from '../../collections/for-each-concurrently.ts';
import type { LimitPermit } from '../../limits/limiter.ts';
import type { PermitOutcome } from '../../limits/model.ts';
import { joiningNames } from '../../listings/rules/join-names.ts';
import type { RowOutcome } from '../../listings/rules/settle-row.ts';
import { settleRow } from '../../listings/rules/settle-row.ts';
import { fieldsOfTarget } from '../../listings/rules/target.ts';
import { fenced, withWaiting } from '../../listings/rules/waiting.ts';
import { learnAliases } from '../../listings/use-cases/learn-aliases.ts';
import { updateListing } from '../../listings/use-cases/update-listing.ts';
import type { BatchAnswer } from '../../marketplace/batch.ts';
import { MarketplaceError } from '../../marketplace/errors.ts';
import type { CallOptions } from '../../marketplace/options.ts';
import type { Rejection } from '../../rejections/model.ts';
import { reportRejections } from '../../rejections/use-cases/report-rejections.ts';
import type { Store } from '../../stores/model.ts';
import { productNames } from '../rules/product-names.ts';
import { outcomesOf, type Verdict, verdictOf } from '../rules/read-outcome.ts';
import type { LaneSettings, PushLanePorts } from './lane-ports.ts';
import type { LaneRequest, OutgoingRow } from './pick-request.ts';

/** The lane was taken over: whatever this invocation still wanted to send is now the new holder's. */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError';
}

/** Names of a row are being joined since it was chosen: it may hold an older value than another of them. */
class WithdrawnError extends Error {
  override readonly name = 'WithdrawnError';
}

/** What the lane needs to know of a request that is over. */
export type SendResult =
  | { readonly verdict: 'done'; readonly rows: number; readonly rejections: Readonly<Record<string, number>> }
  /** The rows are fenced in their listings until the last possible landing of the request is over. */
  | { readonly verdict: 'unknown' }
  /** Nothing was done, because of some row: the rows are to be sent in two requests. */
  | { readonly verdict: 'bisect' }
  /** Nothing left: some row's names are being joined. */
  | { readonly verdict: 'withdrawn' }
  | { readonly verdict: Exclude<Verdict, 'unknown' | 'bisect'>; readonly error: MarketplaceError };

export interface SendContext {
  readonly ports: PushLanePorts;
  readonly settings: LaneSettings;
  readonly store: Store;
  readonly leaseId: string;
  readonly signal: AbortSignal;
}

/** One bulk request with the time of its last signature, epoch ms. */
interface SignedRequest {
  readonly request: LaneRequest;
  readonly attemptId: string;
  signedAt: number;
}

/**
 * Sends one bulk request: its attempt durable and the lease long enough before it leaves, every row's outcome written
 * to its listing before it returns. Gives the permit back as soon as the call is over.
 *
 * @throws LeaseLostError when the lane is not ours any more; nothing was sent then
 */
export async function sendRequest(
  context: SendContext,
  request: LaneRequest,
  permit: LimitPermit,
): Promise<SendResult> {
  const { newId, clock } = context.ports;
  const signed: SignedRequest = { request, attemptId: newId(), signedAt: clock.now() };
  const answer = await call(context, signed, permit);
  if (answer instanceof WithdrawnError) {
    await context.ports.attempts.close(signed.attemptId, 'refused');
    return { verdict: 'withdrawn' };
  }
  return answer instanceof MarketplaceError
    ? settleFailure(context, signed, answer)
    : settleAnswer(context, signed, answer);
}

/** Makes the call; a failure of the marketplace's is a result like any other. */
async function call(
  context: SendContext,
  signed: SignedRequest,
  permit: LimitPermit,
): Promise<BatchAnswer | MarketplaceError | WithdrawnError> {
  const { ports, store, signal } = context;
  const { request } = signed;
  let isGivenBack = false;
  const options: CallOptions = {
    signal,
    permit: {
      release: (outcome) => {
        isGivenBack = true;
        return permit.release(outcome);
      },
    },
    onAttempt: async ({ signedAt }) => {
      signed.signedAt = signedAt;
      await makeDurable(context, signed);
    },
  };
  let outcome: PermitOutcome = { unused: true };
  try {
    const answer =
      request.kind === 'stock'
        ? await ports.marketplace.updateStocks(store, { items: request.rows.map(({ row }) => row) }, options)
        : await ports.marketplace.updatePrices(store, { items: request.rows.map(({ row }) => row) }, options);
    outcome = { status: 200 };
    return answer;
  } catch (error) {
    if (error instanceof WithdrawnError) return error;
    if (!(error instanceof MarketplaceError)) throw error;
    outcome = permitOutcomeOf(error);
    return error;
  } finally {
    // A permit that can't be given back expires by itself; what became of the rows must not be lost over it.
    if (!isGivenBack) await permit.release(outcome).catch(() => undefined);
  }
}

function permitOutcomeOf({ code, status, retryAfterMs, outcome }: MarketplaceError): PermitOutcome {
  return {
    code,
    ...(status === undefined ? {} : { status }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(outcome === 'not-sent' ? { unused: true } : {}),
  };
}

async function makeDurable(
  { ports, settings, store, leaseId }: SendContext,
  { request: { kind, rows }, attemptId, signedAt }: SignedRequest,
): Promise<void> {
  const [joining] = await Promise.all([
    ports.listings.joining(store.storeClientId),
    ports.attempts.put({
      attemptId,
      storeClientId: store.storeClientId,
      kind,
      signedAt,
      state: 'sent',
      rows: rows.map(({ listing }, rowIndex) => ({ rowIndex, ...fieldsOfTarget(listing.target) })),
    }),
  ]);
  // Asked after the signature, and before the lease is lengthened: names that are joined later than this were not known
  // to be one when the request was signed, and none but the lane's holder lifts the mark.
  const held = new Set(joining.flatMap(joiningNames));
  if (rows.some(({ listing }) => held.has(listing.target))) {
    throw new WithdrawnError(`names of ${store.storeClientId} are being joined`);
  }
  const until = signedAt + settings.attemptLifetimeMs;
  const isExtended = await ports.lanes.extend(store.storeClientId, leaseId, until);
  // A sender that was held up here for the lease's whole length may have another holder beside it already.
  if (isExtended && ports.clock.now() < until) return;
  throw new LeaseLostError(`the lane of ${store.storeClientId} has another holder`);
}

async function settleAnswer(
  context: SendContext,
  signed: SignedRequest,
  answer: BatchAnswer,
): Promise<SendResult> {
  const { ports, settings, store } = context;
  const { request, attemptId } = signed;
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
  // Before the outcomes: what a crash leaves unsettled goes again, and shows its names again.
  await learnFrom(context, request, answer);
  await settleRows(context, signed, (index) => outcomes[index]);
  await ports.attempts.close(attemptId, 'answered', batchId);
  return { verdict: 'done', rows: request.rows.length, rejections: countRejections(outcomes) };
}

/** Makes the names that the answer shows of one product one listing, where the store uses more than one kind of name. */
async function learnFrom(
  { ports, store: { storeClientId } }: SendContext,
  { rows }: LaneRequest,
  answer: BatchAnswer,
): Promise<void> {
  const products = productNames(
    rows.map(({ listing }) => listing),
    answer,
  );
  // Asked at each answer: the listing of another name may be younger than this holder's time with the lane.
  if (products.length === 0 || !(await ports.listings.hasSeveralNames(storeClientId))) return;
  for (const names of products) await learnAliases(ports, storeClientId, names);
}

function countRejections(outcomes: readonly RowOutcome[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const outcome of outcomes) {
    if (outcome.outcome === 'rejected') counts[outcome.code] = (counts[outcome.code] ?? 0) + 1;
  }
  return counts;
}

async function settleFailure(
  context: SendContext,
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
  return { verdict: 'done', rows: 1, rejections: { [error.code]: 1 } };
}

/** The one row of a request that was refused as a whole. */
async function rejectRow(
  context: SendContext,
  signed: SignedRequest,
  error: MarketplaceError,
): Promise<void> {
  const { ports, store } = context;
  const [row] = signed.request.rows;
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
  await settleRows(context, signed, () => ({ outcome: 'rejected', code: error.code }));
}

/** Listings written at a time. */
const WRITE_CONCURRENCY = 10;

async function settleRows(
  { ports }: SendContext,
  { request, signedAt }: SignedRequest,
  outcomeOf: (index: number) => RowOutcome | undefined,
): Promise<void> {
  const rows: [number, OutgoingRow<unknown>][] = [...request.rows.entries()];
  await forEachConcurrently(rows, WRITE_CONCURRENCY, async ([index, { listing, registers }]) => {
    const outcome = outcomeOf(index);
    if (outcome === undefined) return;
    await updateListing(
      ports.listings,
      listing.storeClientId,
      listing.target,
      (current) => {
        const now = ports.clock.now();
        if (current === undefined) return undefined;
        if (current.target === listing.target)
          return settleRow(current, { registers, signedAt }, outcome, now);
        // It has become an alias meanwhile: its values wait again under their new name, and so does what may still land.
        return outcome.outcome === 'unknown'
          ? withWaiting(fenced(current, outcome.notBefore), now)
          : undefined;
      },
      listing,
    );
  });
}

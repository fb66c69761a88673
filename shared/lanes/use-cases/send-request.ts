import { withLogKeys } from '../../correlation/log-keys.ts';
import { holdsPrices } from '../../guards/rules/price-guard.ts';
import type { Place } from '../../limits/ports.ts';
import { nextStep, priorities } from '../../listings/rules/waiting.ts';
import type { BatchAnswer } from '../../marketplace/batch.ts';
import { MarketplaceError } from '../../marketplace/errors.ts';
import { isWithoutPermit } from '../../marketplace/failures.ts';
import type { CallOptions } from '../../marketplace/options.ts';
import type { EpochMs } from '../../time/times.ts';
import { permitWait } from '../../time/waits.ts';
import { type LaneContext, LeaseLostError } from './lane-context.ts';
import type { LaneRequest, LaneRows } from './pick-request.ts';
import { type SendResult, type SignedRequest, settleAnswer, settleFailure } from './settle-request.ts';

/** The request must not be sent, see `isStillFirst`. */
class WithdrawnError extends Error {
  override readonly name = 'WithdrawnError';
}

/**
 * For this long after a release or discard, read the rows again before sending: an invocation that chose them earlier may still
 * run.
 */
const RECENTLY_LIFTED_MS = 150_000;

/**
 * Sends one bulk request at its place, and writes the outcome of every row to its listing. First extends the lease to the time
 * after which the request can't land any more.
 *
 * @throws LeaseLostError if another holder has the lease; nothing was sent
 */
export async function sendRequest(
  context: LaneContext,
  request: LaneRequest,
  place: Place,
  rows: LaneRows,
): Promise<SendResult> {
  const { ports, settings, store, signal } = context;
  const signed: SignedRequest = { request, attemptId: ports.newId(), signedAt: place.at };
  const options: CallOptions = {
    signal,
    // A second attempt, after a correction, takes a permit of its own. It does so even during a stop, as it may end the stop.
    place,
    onAttempt: async ({ signedAt }) => {
      signed.signedAt = signedAt;
      if (!(await isStillFirst(context, request, rows))) throw new WithdrawnError();
      // Extend the lease last: only for a request that is sent.
      await holdLane(context, signedAt + settings.attemptLifetimeMs);
      // From here on the request only needs its permit.
      rows.begin(request);
    },
  };
  const targets = request.rows.map(({ listing }) => listing.target);
  const logKeys = { storeClientId: store.storeClientId, recordId: signed.attemptId, targets };
  return withLogKeys(logKeys, () =>
    exchange(context, request, options).then(
      (answer) => settleAnswer(context, signed, answer),
      (error: unknown): SendResult | Promise<SendResult> => {
        if (error instanceof WithdrawnError) return { verdict: 'not-sent' };
        if (!(error instanceof MarketplaceError)) throw error;
        if (isWithoutPermit(error)) return { verdict: 'not-sent' };
        return settleFailure(context, signed, error);
      },
    ),
  );
}

function exchange(
  { ports: { marketplace }, store }: LaneContext,
  { kind, rows }: LaneRequest,
  options: CallOptions,
): Promise<BatchAnswer> {
  return kind === 'stock'
    ? marketplace.updateStocks(store, { items: rows.map(({ row }) => row) }, options)
    : marketplace.updatePrices(store, { items: rows.map(({ row }) => row) }, options);
}

/**
 * Looks at the waiting values and the hold of prices again, shortly before a request is sent. New values may have to be sent before
 * its rows (P5), or may have caused a hold. The rows are read again if something more urgent waits, while prices are held, or soon
 * after a hold was lifted, as the rows may have been discarded.
 */
async function isStillFirst(
  { ports: { listings, guards, clock }, store }: LaneContext,
  { kind, priority, rows }: LaneRequest,
  lane: LaneRows,
): Promise<boolean> {
  const { storeClientId } = store;
  const [first, guard] = await Promise.all([
    listings.firstPriority(storeClientId),
    guards.get(storeClientId),
  ]);
  const now = clock.now();
  const pricesHeld = holdsPrices(guard);
  lane.pricesHeld = pricesHeld;
  if (pricesHeld && kind === 'price') return false;
  const mustReadRows = pricesHeld || now - (guard?.liftedAt ?? 0) < RECENTLY_LIFTED_MS;
  if (!mustReadRows && first !== undefined && first >= priority) return true;
  const targets = rows.map(({ listing }) => listing.target);
  const [isZeroFirst, current] = await Promise.all([
    priority !== priorities.zeroStock && lane.isZeroDue(),
    listings.getMany(storeClientId, targets),
  ]);
  if (isZeroFirst) return false;
  return targets.every((target) => {
    const listing = current.get(target);
    const next = listing && nextStep(listing)?.priority;
    // Stock that was lowered meanwhile does not stop a price: the stock is sent right after it.
    return next === priority || (kind === 'price' && next === priorities.loweredStock);
  });
}

/**
 * Extends the lease until `until`, unless it already lasts longer. Each write extends it further, by the longest wait for a place, so
 * that the requests of this time share one write.
 *
 * @throws LeaseLostError if another holder has the lease
 */
async function holdLane(context: LaneContext, until: EpochMs): Promise<void> {
  const { ports, store, leaseId } = context;
  let isHeld = context.leasedUntil >= until;
  if (!isHeld) {
    const next = until + permitWait.longestMs;
    isHeld = await ports.lanes.extend(store.storeClientId, leaseId, next);
    if (isHeld) context.leasedUntil = next;
  }
  // The call may have taken longer than the lease: another holder may exist by now.
  if (isHeld && ports.clock.now() < until) return;
  throw new LeaseLostError(`the lane of ${store.storeClientId} has another holder`);
}

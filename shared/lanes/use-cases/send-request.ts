import { withLogKeys } from '../../correlation/log-keys.ts';
import { nextStep, priorities } from '../../listings/rules/waiting.ts';
import type { BatchAnswer } from '../../marketplace/batch.ts';
import { clientErrorCodes, MarketplaceError } from '../../marketplace/errors.ts';
import type { CallOptions, Permits, Place } from '../../marketplace/options.ts';
import { holdLane, type LaneContext } from './lane-context.ts';
import { isZeroDue, type LaneRequest } from './pick-request.ts';
import { type SendResult, type SignedRequest, settleAnswer, settleFailure } from './settle-request.ts';

/** The request must not be sent, see `maySend`. */
class WithdrawnError extends Error {
  override readonly name = 'WithdrawnError';
}

/**
 * Milliseconds since a release, or since the begin of a discard, for which it is recent: longer than a discard takes, and then an
 * invocation of the function that chose rows before it.
 */
const RECENTLY_LIFTED_MS = 150_000;

/** Milliseconds before a request is sent, to choose its rows and to look once more. */
export const PREPARATION_MS = 160;

export interface Sending {
  /** The place of the request. */
  readonly place: Place;
  /** Targets in flight; kept up to date while the request is sent. A zero that is only chosen for a later request leaves first. */
  readonly sent: ReadonlySet<string>;
  /** Called when the request is sent. */
  readonly onSend: () => void;
}

/**
 * Sends one bulk request at its place, and writes the outcome of every row to its listing. Extends the lease first, until the
 * request can't land any more. A withdrawn request is not sent; the caller may use its place.
 *
 * @throws LeaseLostError if another holder has the lease; nothing was sent
 */
export async function sendRequest(
  context: LaneContext,
  request: LaneRequest,
  { place, sent, onSend }: Sending,
): Promise<SendResult> {
  const { ports, store, signal, settings } = context;
  const signed: SignedRequest = { request, attemptId: ports.newId(), signedAt: place.at };
  let isWithdrawn = false;
  let isPlaceUsed = false;
  const own: Place = {
    ...place,
    giveBack: async () => {
      if (!isWithdrawn) await place.giveBack();
    },
    begin: async (aborted) => {
      const permit = await place.begin(aborted);
      if (permit === undefined) return undefined;
      isPlaceUsed = true;
      onSend();
      return permit;
    },
  };
  const options: CallOptions = {
    signal,
    permits: permitsAt(own, ports.limiter.permits(), () => isPlaceUsed),
    onAttempt: async ({ signedAt }) => {
      signed.signedAt = signedAt;
      isWithdrawn = !(await maySend(context, request, sent));
      if (isWithdrawn) throw new WithdrawnError();
      // Last: the lease is extended only for a request that is sent.
      await holdLane(context, signedAt + settings.attemptLifetimeMs);
    },
  };
  const targets = request.rows.map(({ listing }) => listing.target);
  const logKeys = { storeClientId: store.storeClientId, recordId: signed.attemptId, targets };
  return withLogKeys(logKeys, () =>
    exchange(context, request, options).then(
      (answer) => settleAnswer(context, signed, answer),
      (error: unknown): SendResult | Promise<SendResult> => {
        const isPlaceLost = error instanceof MarketplaceError && error.code === clientErrorCodes.limitReached;
        if (isPlaceLost || (isWithdrawn && isPlaceUsed)) return { verdict: 'place-lost' };
        if (error instanceof WithdrawnError) return { verdict: 'withdrawn' };
        if (error instanceof MarketplaceError) return settleFailure(context, signed, error);
        throw error;
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
 * Permits of one request: first its own place. If the place is lost, the lane chooses rows again for another one. A request
 * that is sent again after a correction takes a further permit, even during a stop, because it may end the stop.
 */
function permitsAt(own: Place, further: Permits, isUsed: () => boolean): Permits {
  let isReserved = false;
  return {
    reserve: async (request) => {
      if (isUsed()) return further.reserve(request);
      if (isReserved) return { reason: 'busy', retryAt: request.until };
      isReserved = true;
      // As late as possible, because values that come after this look are not noticed.
      return { ...own, prepareAt: own.prepareAt + PREPARATION_MS - (request.preparationMs ?? 0) };
    },
  };
}

/**
 * Looks at the waiting values again, shortly before a request is sent. New values may have to be sent before its rows (P5), or
 * hold them. The rows themselves are only read if something more urgent waits, while prices are held, or if a hold was lifted
 * recently: the rows may have been discarded.
 *
 * @param sent targets in flight.
 * @returns whether the request may be sent.
 */
async function maySend(
  { ports: { listings, guards, clock }, store: { storeClientId, names } }: LaneContext,
  { kind, priority, rows }: LaneRequest,
  sent: ReadonlySet<string>,
): Promise<boolean> {
  const [first, guard] = await Promise.all([
    listings.firstPriority(storeClientId),
    guards.get(storeClientId),
  ]);
  const now = clock.now();
  const pricesHeld = guard?.hold !== undefined;
  if (pricesHeld && kind === 'price') return false;
  const mustReadRows = pricesHeld || now - (guard?.liftedAt ?? 0) < RECENTLY_LIFTED_MS;
  if (!mustReadRows && first !== undefined && first >= priority) return true;
  const targets = rows.map(({ listing }) => listing.target);
  const look = { storeClientId, products: names.products, now, busy: sent };
  const [isZeroFirst, current] = await Promise.all([
    priority !== priorities.zeroStock && isZeroDue(listings, look),
    listings.getMany(storeClientId, targets),
  ]);
  if (isZeroFirst) return false;
  return targets.every((target) => {
    const listing = current.get(target);
    const next = listing && nextStep(listing)?.priority;
    // Stock that was lowered meanwhile does not hold up a price: it is sent right after it.
    return next === priority || (kind === 'price' && next === priorities.loweredStock);
  });
}

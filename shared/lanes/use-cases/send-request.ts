import { withLogKeys } from '../../correlation/log-keys.ts';
import { isStockRegister, type Listing, type Registers, registerEntries } from '../../listings/model.ts';
import { isPending, isRaise, nextStep, priorities } from '../../listings/rules/waiting.ts';
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

/** Milliseconds before a request is sent, to choose its rows and to look once more. */
export const PREPARATION_MS = 160;

export interface Sending {
  /** The place of the request. */
  readonly place: Place;
  /** Targets in flight, those of the request included; kept up to date while it is sent. */
  readonly busy: ReadonlySet<string>;
  /** Called when the request is sent. */
  readonly onSend: () => void;
}

/**
 * Sends one bulk request at its place, and writes the outcome of every row to its listing. Extends the lease first, until the
 * request can't land any more. A withdrawn request is not sent; the caller may use its place.
 *
 * @throws LeaseLostError if another holder has the lease; nothing was sent
 */
export function sendRequest(
  context: LaneContext,
  request: LaneRequest,
  sending: Sending,
): Promise<SendResult> {
  const { storeClientId } = context.store;
  const recordId = context.ports.newId();
  const targets = request.rows.map(({ listing }) => listing.target);
  return withLogKeys({ storeClientId, recordId, targets }, () =>
    sendSigned(context, { request, attemptId: recordId, signedAt: sending.place.at }, sending),
  );
}

async function sendSigned(
  context: LaneContext,
  signed: SignedRequest,
  sending: Sending,
): Promise<SendResult> {
  const { ports, store, signal } = context;
  const { request } = signed;
  let isWithdrawn = false;
  let answer: BatchAnswer;
  try {
    const options: CallOptions = {
      signal,
      permits: permitsAt(sending, ports.limiter.permits(), () => isWithdrawn),
      onAttempt: async ({ signedAt }) => {
        signed.signedAt = signedAt;
        isWithdrawn = !(await maySend(context, request, sending.busy));
        if (isWithdrawn) throw new WithdrawnError();
        // Last: the lease is extended only for a request that is sent.
        await holdLane(context, signedAt + context.settings.attemptLifetimeMs);
      },
    };
    answer =
      request.kind === 'stock'
        ? await ports.marketplace.updateStocks(store, { items: request.rows.map(({ row }) => row) }, options)
        : await ports.marketplace.updatePrices(store, { items: request.rows.map(({ row }) => row) }, options);
  } catch (error) {
    const isPlaceLost = error instanceof MarketplaceError && error.code === clientErrorCodes.limitReached;
    if (isPlaceLost) return { verdict: 'place-lost' };
    if (error instanceof WithdrawnError) return { verdict: 'withdrawn' };
    if (error instanceof MarketplaceError) return settleFailure(context, signed, error);
    throw error;
  }
  return settleAnswer(context, signed, answer);
}

/**
 * Permits of one request: first its own place. If the place is lost, the lane chooses rows again for another one. A request
 * that is sent again after a correction takes a further permit, even during a stop, because it may end the stop.
 */
function permitsAt({ place, onSend }: Sending, permits: Permits, isWithdrawn: () => boolean): Permits {
  let state: 'new' | 'reserved' | 'begun' = 'new';
  const only: Place = {
    ...place,
    giveBack: async () => {
      if (!isWithdrawn()) await place.giveBack();
    },
    begin: async (signal) => {
      const permit = await place.begin(signal);
      if (permit === undefined) return undefined;
      state = 'begun';
      onSend();
      return permit;
    },
  };
  return {
    reserve: async (request) => {
      if (state === 'begun') return permits.reserve(request);
      if (state === 'reserved') return { reason: 'busy', retryAt: request.until };
      state = 'reserved';
      // As late as possible, because values that come after this look are not noticed.
      return { ...only, prepareAt: place.prepareAt + PREPARATION_MS - (request.preparationMs ?? 0) };
    },
  };
}

/**
 * Looks at the waiting values again, shortly before a request is sent. New values may have to be sent before its rows (P5), or
 * hold them. The rows themselves are only read if anything waits that is more urgent: a row that must not be sent any more is
 * then among it.
 *
 * @param busy targets in flight, those of the request included.
 * @returns whether the request may be sent.
 */
async function maySend(
  { ports: { listings, guards, clock }, store: { storeClientId, names } }: LaneContext,
  request: LaneRequest,
  busy: ReadonlySet<string>,
): Promise<boolean> {
  const { rows } = request;
  const targets = rows.map(({ listing }) => listing.target);
  const classOfRequest = classOf(request);
  const own = FIRST_PRIORITIES[classOfRequest];
  const [first = own, guard] = await Promise.all([
    listings.firstPriority(storeClientId),
    guards.get(storeClientId),
  ]);
  const pricesHeld = guard?.hold !== undefined;
  if (first >= own && !pricesHeld) return true;
  const look = { storeClientId, products: names.products, now: clock.now(), busy };
  const [isZeroFirst, current] = await Promise.all([
    classOfRequest !== 'zeros' && isZeroDue(listings, look),
    listings.getMany(storeClientId, targets),
  ]);
  if (isZeroFirst) return false;
  return rows.every(({ listing: { target }, registers }) => {
    const listing = current.get(target);
    if (nextOf(listing, pricesHeld) !== classOfRequest) return false;
    return !(pricesHeld && listing !== undefined && raisesBehindPrice(listing, registers));
  });
}

/** Whether the row raises stock before a held price of the same target. */
function raisesBehindPrice(listing: Listing, row: Registers): boolean {
  const isPriceWaiting = registerEntries(listing.desired).some(
    ([name, register]) => !isStockRegister(name) && isPending(listing, name, register),
  );
  return (
    isPriceWaiting &&
    registerEntries(row).some(([name, register]) => register.value !== 0 && isRaise(listing, name, register))
  );
}

/** Kinds of requests with an order among them (P5). */
type RequestClass = 'zeros' | LaneRequest['kind'];

/** The highest priority of the rows in each, unless prices are held. */
const FIRST_PRIORITIES = { zeros: priorities.zeroStock, price: priorities.price, stock: priorities.stock };

function classOf({ kind, rows }: LaneRequest): RequestClass {
  const isOfZeros = rows.some(({ registers }) =>
    registerEntries(registers).some(([, { value }]) => value === 0),
  );
  return kind === 'stock' && isOfZeros ? 'zeros' : kind;
}

function nextOf(listing: Listing | undefined, pricesHeld: boolean): RequestClass | undefined {
  const step = listing && nextStep(listing, { pricesHeld });
  return step?.priority === priorities.zeroStock ? 'zeros' : step?.kind;
}

import { fieldsOfTarget } from '../../listings/rules/target.ts';
import type { BatchAnswer } from '../../marketplace/batch.ts';
import { clientErrorCodes, MarketplaceError } from '../../marketplace/errors.ts';
import type { CallOptions, Permits, Place } from '../../marketplace/options.ts';
import { holdLane, type LaneContext } from './lane-context.ts';
import type { LaneRequest } from './pick-request.ts';
import { mayStillLeave } from './second-look.ts';
import { type SendResult, type SignedRequest, settleAnswer, settleFailure } from './settle-request.ts';

/** The request must not leave any more; see `mayStillLeave`. */
class WithdrawnError extends Error {
  override readonly name = 'WithdrawnError';
}

export interface Sending {
  /** Where the request is to leave. */
  readonly place: Place;
  /** Milliseconds that were planned before it when it was reserved. */
  readonly plannedMs: number;
  /** Targets in flight, those of the request included; kept up to date while it is sent. */
  readonly busy: ReadonlySet<string>;
  /** Called as the request leaves. */
  readonly onLeaving: () => void;
}

/**
 * Sends one bulk request at its place: its attempt durable and the lease long enough before it leaves, every row's
 * outcome written to its listing before it returns.
 *
 * @throws LeaseLostError when the lane is not ours any more; nothing was sent then
 */
export async function sendRequest(
  context: LaneContext,
  request: LaneRequest,
  sending: Sending,
): Promise<SendResult> {
  const { ports, store, signal } = context;
  const signed: SignedRequest = { request, attemptId: ports.newId(), signedAt: sending.place.at };
  let answer: BatchAnswer;
  try {
    const options: CallOptions = {
      signal,
      permits: permitsAt(sending, ports.limiter.permits()),
      onAttempt: ({ signedAt }) => {
        signed.signedAt = signedAt;
        return makeReady(context, signed, sending.busy);
      },
    };
    answer =
      request.kind === 'stock'
        ? await ports.marketplace.updateStocks(store, { items: request.rows.map(({ row }) => row) }, options)
        : await ports.marketplace.updatePrices(store, { items: request.rows.map(({ row }) => row) }, options);
  } catch (error) {
    const isPlaceLost = error instanceof MarketplaceError && error.code === clientErrorCodes.limitReached;
    if (isPlaceLost || error instanceof WithdrawnError) {
      await ports.attempts.close(signed.attemptId, 'withdrawn');
      return { verdict: isPlaceLost ? 'place-lost' : 'withdrawn' };
    }
    if (error instanceof MarketplaceError) return settleFailure(context, signed, error);
    throw error;
  }
  return settleAnswer(context, signed, answer);
}

/**
 * The place that the request has; where it is lost the rows are chosen anew, for another one. What is sent again after a
 * correction takes further `permits`: in spite of a stop, which this very request may be to end.
 */
function permitsAt({ place, plannedMs, onLeaving }: Sending, permits: Permits): Permits {
  let state: 'new' | 'reserved' | 'begun' = 'new';
  const only: Place = {
    ...place,
    begin: async (signal) => {
      const permit = await place.begin(signal);
      if (permit === undefined) return undefined;
      state = 'begun';
      onLeaving();
      return permit;
    },
  };
  return {
    reserve: async (request) => {
      if (state === 'begun') return permits.reserve(request);
      if (state === 'reserved') return { reason: 'busy', retryAt: request.until };
      state = 'reserved';
      // As late as it can be: what comes in after the second look is not seen.
      return { ...only, prepareAt: place.prepareAt + plannedMs - (request.preparationMs ?? 0) };
    },
  };
}

/** What has to be durable, and true, before a request leaves. */
async function makeReady(
  context: LaneContext,
  { request, attemptId, signedAt }: SignedRequest,
  busy: ReadonlySet<string>,
): Promise<void> {
  const { ports, settings, store } = context;
  const { kind, rows } = request;
  const [mayLeave] = await Promise.all([
    mayStillLeave(context, request, busy),
    ports.attempts.put({
      attemptId,
      storeClientId: store.storeClientId,
      kind,
      signedAt,
      state: 'sent',
      rows: rows.map(({ listing }, rowIndex) => ({ rowIndex, ...fieldsOfTarget(listing.target) })),
    }),
  ]);
  if (!mayLeave) throw new WithdrawnError();
  // Last: the lease is only lengthened for what leaves.
  await holdLane(context, signedAt + settings.attemptLifetimeMs);
}

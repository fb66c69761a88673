import type { LimitPermit } from '../../limits/limiter.ts';
import { fieldsOfTarget } from '../../listings/rules/target.ts';
import type { BatchAnswer } from '../../marketplace/batch.ts';
import { MarketplaceError } from '../../marketplace/errors.ts';
import type { CallOptions } from '../../marketplace/options.ts';
import { holdLane, type LaneContext } from './lane-context.ts';
import type { LaneRequest } from './pick-request.ts';
import { type LaneView, whyWithdrawn } from './second-look.ts';
import { type SendResult, settleAnswer, settleFailure } from './settle-request.ts';
import type { SignedRequest } from './signed-request.ts';

/** The request must not leave any more, although it is signed; see `whyWithdrawn`. */
class WithdrawnError extends Error {
  override readonly name = 'WithdrawnError';
}

/** Is told of what leaves, as it does. */
interface SendingWatch {
  readonly onLeaving: () => void;
}

/**
 * Sends one bulk request: its attempt durable and the lease long enough before it leaves, every row's outcome written
 * to its listing before it returns. Gives the permit back as soon as the call is over.
 *
 * @throws LeaseLostError when the lane is not ours any more; nothing was sent then
 */
export async function sendRequest(
  context: LaneContext,
  request: LaneRequest,
  permit: LimitPermit,
  lane: LaneView & SendingWatch,
): Promise<SendResult> {
  const { newId, clock } = context.ports;
  const signed: SignedRequest = { request, attemptId: newId(), signedAt: clock.now() };
  const answer = await call(context, signed, permit, lane);
  if (answer instanceof WithdrawnError) {
    await context.ports.attempts.close(signed.attemptId, 'withdrawn');
    return { verdict: 'withdrawn' };
  }
  return answer instanceof MarketplaceError
    ? settleFailure(context, signed, answer)
    : settleAnswer(context, signed, answer);
}

/** Makes the call; a failure of the marketplace's is a result like any other. */
async function call(
  context: LaneContext,
  signed: SignedRequest,
  permit: LimitPermit,
  lane: LaneView & SendingWatch,
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
      await makeDurable(context, signed, lane);
      lane.onLeaving();
    },
  };
  try {
    return request.kind === 'stock'
      ? await ports.marketplace.updateStocks(store, { items: request.rows.map(({ row }) => row) }, options)
      : await ports.marketplace.updatePrices(store, { items: request.rows.map(({ row }) => row) }, options);
  } catch (error) {
    if (error instanceof WithdrawnError || error instanceof MarketplaceError) return error;
    throw error;
  } finally {
    // The call ended before it came to an attempt. A permit that can't be given back expires by itself; what became of
    // the rows must not be lost over it.
    if (!isGivenBack) await permit.release({ unused: true }).catch(() => undefined);
  }
}

async function makeDurable(
  context: LaneContext,
  { request, attemptId, signedAt }: SignedRequest,
  lane: LaneView,
): Promise<void> {
  const { kind, rows } = request;
  const { ports, settings, store } = context;
  const [why] = await Promise.all([
    whyWithdrawn(context, request, lane),
    ports.attempts.put({
      attemptId,
      storeClientId: store.storeClientId,
      kind,
      signedAt,
      state: 'sent',
      rows: rows.map(({ listing }, rowIndex) => ({ rowIndex, ...fieldsOfTarget(listing.target) })),
    }),
  ]);
  if (why !== undefined) throw new WithdrawnError(why);
  // Last: the lease is only lengthened for what leaves.
  const until = signedAt + settings.attemptLifetimeMs;
  await holdLane(context, until);
}

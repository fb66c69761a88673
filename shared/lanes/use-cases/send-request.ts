import type { LimitPermit } from '../../limits/limiter.ts';
import { joiningNames } from '../../listings/rules/join-names.ts';
import { fieldsOfTarget } from '../../listings/rules/target.ts';
import type { BatchAnswer } from '../../marketplace/batch.ts';
import { MarketplaceError } from '../../marketplace/errors.ts';
import type { CallOptions } from '../../marketplace/options.ts';
import { holdLane, type LaneContext } from './lane-context.ts';
import type { LaneRequest } from './pick-request.ts';
import { type SendResult, settleAnswer, settleFailure } from './settle-request.ts';
import type { SignedRequest } from './signed-request.ts';

/** Names of a row are being joined since it was chosen: it may hold an older value than another of them. */
class WithdrawnError extends Error {
  override readonly name = 'WithdrawnError';
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
  context: LaneContext,
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
  { request: { kind, rows }, attemptId, signedAt }: SignedRequest,
): Promise<void> {
  const { ports, settings, store } = context;
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
  await holdLane(context, until);
}

import type { LimitPermit } from '../../limits/limiter.ts';
import { registerEntries } from '../../listings/model.ts';
import { joiningNames } from '../../listings/rules/join-names.ts';
import { fieldsOfTarget } from '../../listings/rules/target.ts';
import type { BatchAnswer } from '../../marketplace/batch.ts';
import { MarketplaceError } from '../../marketplace/errors.ts';
import type { CallOptions } from '../../marketplace/options.ts';
import { holdLane, type LaneContext } from './lane-context.ts';
import { isZeroDue, type LaneRequest } from './pick-request.ts';
import { type SendResult, settleAnswer, settleFailure } from './settle-request.ts';
import type { SignedRequest } from './signed-request.ts';

/**
 * Since the request was chosen names of a row are being joined, so that it may hold an older value than another of them;
 * or a zero came in, which is to leave before everything else (design P5).
 */
class WithdrawnError extends Error {
  override readonly name = 'WithdrawnError';
}

/**
 * Sends one bulk request: its attempt durable and the lease long enough before it leaves, every row's outcome written
 * to its listing before it returns. Gives the permit back as soon as the call is over.
 *
 * @param inFlight targets that are on their way, those of this request included; kept up to date while it sends
 * @throws LeaseLostError when the lane is not ours any more; nothing was sent then
 */
export async function sendRequest(
  context: LaneContext,
  request: LaneRequest,
  permit: LimitPermit,
  inFlight: ReadonlySet<string> = new Set(),
): Promise<SendResult> {
  const { newId, clock } = context.ports;
  const signed: SignedRequest = { request, attemptId: newId(), signedAt: clock.now() };
  const answer = await call(context, signed, permit, inFlight);
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
  inFlight: ReadonlySet<string>,
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
      await makeDurable(context, signed, inFlight);
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
  inFlight: ReadonlySet<string>,
): Promise<void> {
  const { kind, rows } = request;
  const { ports, settings, store } = context;
  const { storeClientId } = store;
  const look = { storeClientId, now: ports.clock.now(), busy: new Set(inFlight) };
  const [joining, isZeroFirst] = await Promise.all([
    ports.listings.joining(storeClientId),
    !isOfZeros(request) && isZeroDue(ports.listings, look),
    ports.attempts.put({
      attemptId,
      storeClientId,
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
    throw new WithdrawnError(`names of ${storeClientId} are being joined`);
  }
  if (isZeroFirst) throw new WithdrawnError(`a zero of ${storeClientId} came in`);
  const until = signedAt + settings.attemptLifetimeMs;
  await holdLane(context, until);
}

function isOfZeros({ kind, rows }: LaneRequest): boolean {
  return (
    kind === 'stock' &&
    rows.some(({ registers }) => registerEntries(registers).some(([, { value }]) => value === 0))
  );
}

import { isStockRegister, type Listing, type Registers, registerEntries } from '../../listings/model.ts';
import { isRaise } from '../../listings/rules/registers.ts';
import { isPending, nextStep, priorities } from '../../listings/rules/waiting.ts';
import type { LaneContext } from './lane-context.ts';
import { isZeroDue, type LaneRequest } from './pick-request.ts';

/** The lane as its holder knows it. */
export interface LaneView {
  /** Targets that are on their way, those of the request included; kept up to date while it is sent. */
  readonly inFlight: ReadonlySet<string>;
  readonly pricesHeld: boolean;
}

/**
 * Looks once more at what waits, when a request is signed: what came in since its rows were chosen may have to leave before
 * them (design P5).
 *
 * @returns why the request must not leave; `undefined` when it may.
 */
export async function whyWithdrawn(
  { ports: { listings, clock }, store: { storeClientId, names } }: LaneContext,
  request: LaneRequest,
  { inFlight, pricesHeld }: LaneView,
): Promise<string | undefined> {
  const { rows } = request;
  const targets = rows.map(({ listing }) => listing.target);
  const classOfRequest = classOf(request);
  const look = { storeClientId, products: names.products, now: clock.now(), busy: new Set(inFlight) };
  const [isZeroFirst, current] = await Promise.all([
    classOfRequest !== 'zeros' && isZeroDue(listings, look),
    listings.getMany(storeClientId, targets),
  ]);
  if (isZeroFirst) return `a zero of ${storeClientId} came in`;
  const overtaken = rows.find(({ listing: { target }, registers }) => {
    const listing = current.get(target);
    if (nextOf(listing, pricesHeld) !== classOfRequest) return true;
    return pricesHeld && listing !== undefined && raisesBehindPrice(listing, registers);
  });
  return overtaken && `something else of ${overtaken.listing.target} is to leave first`;
}

/** Whether stock would be raised before a price of the same target, which is held. */
function raisesBehindPrice(listing: Listing, row: Registers): boolean {
  const isPriceWaiting = registerEntries(listing.desired).some(
    ([name, register]) => !isStockRegister(name) && isPending(listing, name, register),
  );
  return (
    isPriceWaiting &&
    registerEntries(row).some(([name, register]) => register.value !== 0 && isRaise(listing, name, register))
  );
}

/** What is told apart in the order of leaving. */
type LeavingClass = 'zeros' | LaneRequest['kind'];

function classOf({ kind, rows }: LaneRequest): LeavingClass {
  const isOfZeros = rows.some(({ registers }) =>
    registerEntries(registers).some(([, { value }]) => value === 0),
  );
  return kind === 'stock' && isOfZeros ? 'zeros' : kind;
}

function nextOf(listing: Listing | undefined, pricesHeld: boolean): LeavingClass | undefined {
  const step = listing && nextStep(listing, { pricesHeld });
  return step?.priority === priorities.zeroStock ? 'zeros' : step?.kind;
}

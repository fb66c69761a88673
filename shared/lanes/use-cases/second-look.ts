import { isStockRegister, type Listing, type Registers, registerEntries } from '../../listings/model.ts';
import { isRaise } from '../../listings/rules/registers.ts';
import { isPending, nextStep, priorities } from '../../listings/rules/waiting.ts';
import type { LaneContext } from './lane-context.ts';
import { isZeroDue, type LaneRequest } from './pick-request.ts';

/**
 * Looks once more at what waits, shortly before a request leaves: what came in since its rows were chosen may have to leave
 * before them (design P5), or hold them.
 *
 * @param busy targets in flight, those of the request included.
 * @returns whether the request may leave.
 */
export async function mayStillLeave(
  { ports: { listings, guards, clock }, store: { storeClientId, names } }: LaneContext,
  request: LaneRequest,
  busy: ReadonlySet<string>,
): Promise<boolean> {
  const { rows } = request;
  const targets = rows.map(({ listing }) => listing.target);
  const classOfRequest = classOf(request);
  const look = { storeClientId, products: names.products, now: clock.now(), busy: new Set(busy) };
  const [isZeroFirst, guard, current] = await Promise.all([
    classOfRequest !== 'zeros' && isZeroDue(listings, look),
    guards.get(storeClientId),
    listings.getMany(storeClientId, targets),
  ]);
  const pricesHeld = guard?.hold !== undefined;
  if (isZeroFirst || (pricesHeld && request.kind === 'price')) return false;
  return rows.every(({ listing: { target }, registers }) => {
    const listing = current.get(target);
    if (nextOf(listing, pricesHeld) !== classOfRequest) return false;
    return !(pricesHeld && listing !== undefined && raisesBehindPrice(listing, registers));
  });
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

/** What the order of leaving knows as different. */
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

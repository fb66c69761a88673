import * as z from 'zod';
import { AT_A_TIME, forEachConcurrently } from '../../collections/for-each-concurrently.ts';
import {
  DISCARDED,
  isStockRegister,
  type Listing,
  type RegisterName,
  registerEntries,
} from '../../listings/model.ts';
import type { LaneWaker, ListingTable } from '../../listings/ports.ts';
import { settleRegisters } from '../../listings/rules/row.ts';
import { isPending, type Priority, priorities } from '../../listings/rules/waiting.ts';
import type { StoreTable } from '../../stores/ports.ts';
import type { Clock } from '../../time/clock.ts';
import type { GuardTable } from '../ports.ts';
import { type GuardLimits, holdsPrices, type PriceGuard, withoutHold } from '../rules/price-guard.ts';

/** The result of discarding waiting values. */
export const discardReportSchema = z.object({
  /** Listings whose waiting values were discarded. */
  discarded: z.int(),
  /** `false` if the time was not enough: repeat the call. */
  done: z.boolean(),
});
type DiscardReport = z.infer<typeof discardReportSchema>;

export interface OperateGuardPorts {
  readonly guards: Pick<GuardTable, 'update'>;
  readonly listings: Pick<ListingTable, 'update' | 'waiting'>;
  readonly tickets: LaneWaker;
  readonly clock: Pick<Clock, 'now'>;
}

/** Sets the limits of a store's guard. Without `limits` the guard is switched off. Counts and a hold are kept. */
export async function setPriceGuard(
  { guards }: Pick<OperateGuardPorts, 'guards'>,
  storeClientId: string,
  limits: GuardLimits | undefined,
): Promise<PriceGuard> {
  const guard = await guards.update(storeClientId, (current) => ({ storeClientId, ...current, limits }));
  return guard ?? { storeClientId };
}

/**
 * Releases held prices, and the stock raises that wait for them.
 *
 * @returns whether prices were held
 */
export async function releasePrices(
  { guards, tickets, clock }: Pick<OperateGuardPorts, 'guards' | 'tickets' | 'clock'>,
  storeClientId: string,
): Promise<boolean> {
  let wasHeld = false;
  await guards.update(storeClientId, (current) => {
    wasHeld = holdsPrices(current);
    return withoutHold({ storeClientId, ...current, liftedAt: clock.now() });
  });
  await tickets.send([{ storeClientId }]);
  return wasHeld;
}

/**
 * Discards every waiting price of a store, as if the marketplace had rejected it, then lifts the hold. If the time is not enough, the
 * other prices stay held. Prices that come meanwhile are counted. If they exceed the limit, a new hold begins, and the discard does not
 * lift it.
 */
export function discardPrices(ports: OperateGuardPorts, storeClientId: string): Promise<DiscardReport> {
  return discard(ports, storeClientId, PRIORITIES_WITH_PRICES, (name) => !isStockRegister(name));
}

/**
 * Discards all waiting work of a store in the same way: its prices, its stock, and the commands given until now, which
 * are rejected at their next delivery.
 */
export async function discardEverything(
  ports: OperateGuardPorts & { readonly stores: Pick<StoreTable, 'discardCommands'> },
  storeClientId: string,
): Promise<DiscardReport> {
  await ports.stores.discardCommands(storeClientId, new Date(ports.clock.now()).toISOString());
  return discard(ports, storeClientId, PRIORITIES, () => true);
}

/** A listing waits with one priority at a time: a price may wait behind lower stock, but not behind higher stock. */
const PRIORITIES_WITH_PRICES = [priorities.zeroStock, priorities.loweredStock, priorities.price];
const PRIORITIES = [...PRIORITIES_WITH_PRICES, priorities.stock];
/** One call discards for this long. The timeout of an HTTP API is longer. */
const DISCARD_FOR_MS = 20_000;
/** Later than any `notBefore`, so that the list has all waiting listings. */
const FAR_FUTURE = 999_999_999_999_999;

async function discard(
  ports: OperateGuardPorts,
  storeClientId: string,
  among: readonly Priority[],
  isDiscarded: (name: RegisterName) => boolean,
): Promise<DiscardReport> {
  const { clock, guards, listings, tickets } = ports;
  const begunAt = clock.now();
  const before = await guards.update(storeClientId, (current) => ({
    storeClientId,
    ...current,
    liftedAt: begunAt,
  }));
  const pendingOf = (listing: Listing) =>
    registerEntries(listing.desired).filter(
      ([name, register]) => isDiscarded(name) && isPending(listing, name, register),
    );
  const outcome = { outcome: 'rejected', code: DISCARDED } as const;
  const withoutPending = (current: Listing | undefined) =>
    current && settleRegisters(current, Object.fromEntries(pendingOf(current)), outcome, clock.now());
  const discarded = new Set<string>();
  let passes = 0;
  let hasFound = false;
  // A change may move a listing to a priority that was already read. The next pass finds it there.
  while (passes < 2 || hasFound) {
    passes += 1;
    hasFound = false;
    for await (const waiting of listings.waiting(storeClientId, { among, dueBy: FAR_FUTURE })) {
      if (clock.now() >= begunAt + DISCARD_FOR_MS) return { discarded: discarded.size, done: false };
      const affected = waiting.listings.filter((listing) => pendingOf(listing).length > 0);
      await forEachConcurrently(affected, AT_A_TIME, async (listing) => {
        await listings.update(storeClientId, listing.target, withoutPending, listing);
        discarded.add(listing.target);
      });
      // Listings that began to wait after the discard do not prolong it.
      hasFound ||= affected.some(({ waitingSince = 0 }) => waitingSince < begunAt);
    }
  }
  await guards.update(storeClientId, (current) =>
    current?.hold?.since === before?.hold?.since ? current && withoutHold(current) : undefined,
  );
  await tickets.send([{ storeClientId }]);
  return { discarded: discarded.size, done: true };
}

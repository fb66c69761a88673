import { z } from 'zod';
import { forEachConcurrently } from '../../collections/for-each-concurrently.ts';
import {
  DISCARDED,
  isStockRegister,
  type Listing,
  type RegisterName,
  registerEntries,
} from '../../listings/model.ts';
import type { LaneWaker, ListingTable } from '../../listings/ports.ts';
import { settleRegisters } from '../../listings/rules/row.ts';
import { isPending, priorities } from '../../listings/rules/waiting.ts';
import type { StoreTable } from '../../stores/ports.ts';
import type { GuardTable } from '../ports.ts';
import { type GuardLimits, lifted, type PriceGuard } from '../rules/price-guard.ts';

/** What came of discarding values that wait. */
export const discardReportSchema = z.object({
  /** Listings whose waiting values were discarded. */
  discarded: z.int(),
  /** `false` when the time was up: repeat the call. */
  done: z.boolean(),
});
type DiscardReport = z.infer<typeof discardReportSchema>;

export interface OperateGuardPorts {
  readonly guards: Pick<GuardTable, 'update'>;
  readonly listings: Pick<ListingTable, 'update' | 'waiting'>;
  readonly tickets: LaneWaker;
  readonly clock: { now(): number };
}

/** Guards a store's prices by `limits`, or no longer without any; what was counted stays, and so does a hold. */
export async function setPriceGuard(
  { guards }: Pick<OperateGuardPorts, 'guards'>,
  storeClientId: string,
  limits: GuardLimits | undefined,
): Promise<PriceGuard> {
  const guard = await guards.update(storeClientId, (current) => ({ storeClientId, ...current, limits }));
  return guard ?? { storeClientId };
}

/** Releases held prices: they leave with the raises behind them. */
export async function releasePrices(
  { guards, tickets, clock }: Pick<OperateGuardPorts, 'guards' | 'tickets' | 'clock'>,
  storeClientId: string,
): Promise<void> {
  await guards.update(storeClientId, (current) => current && lifted(current, clock.now()));
  await tickets.send([{ storeClientId }]);
}

/**
 * Discards every price of a store that waits as if the marketplace had rejected it, and lifts the hold after the last of
 * them. What is left when the time is up still waits, and is still held.
 */
export function discardPrices(ports: OperateGuardPorts, storeClientId: string): Promise<DiscardReport> {
  return discard(ports, storeClientId, (name) => !isStockRegister(name));
}

/**
 * Discards everything that waits for a store in the same way: its prices and stock, and the commands that were given until
 * now, which are rejected when they come.
 */
export async function discardEverything(
  ports: OperateGuardPorts & { readonly stores: Pick<StoreTable, 'discardCommands'> },
  storeClientId: string,
): Promise<DiscardReport> {
  await ports.stores.discardCommands(storeClientId, new Date(ports.clock.now()).toISOString());
  return discard(ports, storeClientId, () => true);
}

/** The order in which a listing moves on as its stock leaves: a price may stand behind a zero, and behind lowered stock. */
const IN_ORDER = [priorities.zeroStock, priorities.priceOverLowered, priorities.price, priorities.stock];
const PAGE = 100;
const WRITE_CONCURRENCY = 10;
/** Milliseconds that one call goes on discarding, well within an HTTP API's limit. */
const DISCARD_FOR_MS = 20_000;
/** A time past every one before which a listing may not leave. */
const EVER = 999_999_999_999_999;

async function discard(
  ports: OperateGuardPorts,
  storeClientId: string,
  isConcerned: (name: RegisterName) => boolean,
): Promise<DiscardReport> {
  const { clock, listings } = ports;
  const end = clock.now() + DISCARD_FOR_MS;
  const pendingOf = (listing: Listing) =>
    registerEntries(listing.desired).filter(
      ([name, register]) => isConcerned(name) && isPending(listing, name, register),
    );
  const outcome = { outcome: 'rejected', code: DISCARDED } as const;
  const withoutPending = (current: Listing | undefined) =>
    current && settleRegisters(current, Object.fromEntries(pendingOf(current)), outcome, clock.now());
  let discarded = 0;
  for (const priority of IN_ORDER) {
    let after: string | undefined;
    do {
      if (clock.now() >= end) return { discarded, done: false };
      const page = await listings.waiting(storeClientId, { priority, dueBy: EVER, limit: PAGE, after });
      const concerned = page.listings.filter((listing) => pendingOf(listing).length > 0);
      await forEachConcurrently(concerned, WRITE_CONCURRENCY, async (listing) => {
        await listings.update(storeClientId, listing.target, withoutPending, listing);
      });
      discarded += concerned.length;
      after = page.next;
    } while (after !== undefined);
  }
  await releasePrices(ports, storeClientId);
  return { discarded, done: true };
}

import { forEachConcurrently } from '../../collections/for-each-concurrently.ts';
import type { TicketQueue } from '../../lanes/ports.ts';
import type { Listing } from '../../listings/model.ts';
import type { ListingTable } from '../../listings/ports.ts';
import { settleRegisters } from '../../listings/rules/settle-row.ts';
import { isPending, priorities } from '../../listings/rules/waiting.ts';
import type { GuardTable } from '../ports.ts';
import { lifted } from '../rules/price-guard.ts';

export interface LiftHoldPorts {
  readonly guards: GuardTable;
  readonly listings: Pick<ListingTable, 'update' | 'waiting'>;
  readonly tickets: TicketQueue;
  readonly clock: { now(): number };
}

/** Code of a price that an operator dropped. */
const DISCARDED = 'DISCARDED';
const PAGE = 100;
const WRITE_CONCURRENCY = 10;
/** Milliseconds that one call goes on discarding, well within an HTTP API's limit. */
const DISCARD_FOR_MS = 20_000;
/** A time past every fence and backoff. */
const EVER = 999_999_999_999_999;

/** Lets held prices go: they leave with the raises behind them. */
export async function releasePrices(ports: LiftHoldPorts, storeClientId: string): Promise<void> {
  await ports.guards.update(storeClientId, (current) => current && lifted(current));
  await ports.tickets.send([{ storeClientId }]);
}

/**
 * Drops every price that waits, as if the marketplace had rejected it, and lifts the hold after the last of them. What
 * is left when the time is up is still held: `done` is `false` then, and the call is to be made again.
 */
export async function discardPrices(
  ports: LiftHoldPorts,
  storeClientId: string,
): Promise<{ discarded: number; done: boolean }> {
  const end = ports.clock.now() + DISCARD_FOR_MS;
  let discarded = 0;
  for (const priority of [priorities.price, priorities.zeroStock]) {
    let after: string | undefined;
    do {
      if (ports.clock.now() >= end) return { discarded, done: false };
      const page = await ports.listings.waiting(storeClientId, {
        priority,
        dueBy: EVER,
        limit: PAGE,
        ...(after === undefined ? {} : { after }),
      });
      const priced = page.listings.filter((listing) => pendingPrices(listing).length > 0);
      await forEachConcurrently(priced, WRITE_CONCURRENCY, (listing) => discard(ports, listing));
      discarded += priced.length;
      after = page.next;
    } while (after !== undefined);
  }
  await releasePrices(ports, storeClientId);
  return { discarded, done: true };
}

async function discard({ listings, clock }: LiftHoldPorts, listing: Listing): Promise<void> {
  const { storeClientId, target } = listing;
  await listings.update(
    storeClientId,
    target,
    (current) => {
      if (current === undefined) return undefined;
      const dropped = Object.fromEntries(pendingPrices(current));
      return settleRegisters(current, dropped, { outcome: 'rejected', code: DISCARDED }, clock.now());
    },
    listing,
  );
}

function pendingPrices(listing: Listing) {
  return (['price', 'specialPrice'] as const).flatMap((name) => {
    const register = listing.desired[name];
    return register !== undefined && isPending(listing, name, register) ? [[name, register] as const] : [];
  });
}

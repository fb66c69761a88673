import { forEachConcurrently } from '../../collections/for-each-concurrently.ts';
import { isStockRegister, type Listing, registerEntries } from '../../listings/model.ts';
import type { ListingTable } from '../../listings/ports.ts';
import { DISCARDED, settleRegisters } from '../../listings/rules/settle-row.ts';
import { isPending, type Priority, priorities } from '../../listings/rules/waiting.ts';
import { updateListing } from '../../listings/use-cases/update-listing.ts';
import type { DropReport } from '../model.ts';

export interface DropValuesPorts {
  readonly listings: Pick<ListingTable, 'update' | 'waiting'>;
  readonly clock: { now(): number };
}

/** Which waiting values are dropped. */
export type DroppedValues = 'prices' | 'prices and stock';

/**
 * Where values to drop wait, in the order in which a listing moves on as its stock leaves: a price may stand behind a
 * zero, and behind lowered stock.
 */
const { zeroStock, priceOverLowered, price, stock } = priorities;
const PRIORITIES: Readonly<Record<DroppedValues, readonly Priority[]>> = {
  prices: [zeroStock, priceOverLowered, price],
  'prices and stock': [zeroStock, priceOverLowered, price, stock],
};

const PAGE = 100;
const WRITE_CONCURRENCY = 10;
/** Milliseconds that one call goes on dropping, well within an HTTP API's limit. */
const DROP_FOR_MS = 20_000;
/** A time past every fence and backoff. */
const EVER = 999_999_999_999_999;

/** Drops values of a store that wait, as if the marketplace had rejected them, until the time is up. */
export async function dropValues(
  ports: DropValuesPorts,
  storeClientId: string,
  what: DroppedValues,
): Promise<DropReport> {
  const { clock, listings } = ports;
  const end = clock.now() + DROP_FOR_MS;
  let discarded = 0;
  for (const priority of PRIORITIES[what]) {
    let after: string | undefined;
    do {
      if (clock.now() >= end) return { discarded, done: false };
      const page = await listings.waiting(storeClientId, {
        priority,
        dueBy: EVER,
        limit: PAGE,
        ...(after === undefined ? {} : { after }),
      });
      const concerned = page.listings.filter((listing) => pendingOf(listing, what).length > 0);
      await forEachConcurrently(concerned, WRITE_CONCURRENCY, (listing) => drop(ports, listing, what));
      discarded += concerned.length;
      after = page.next;
    } while (after !== undefined);
  }
  return { discarded, done: true };
}

async function drop(
  { listings, clock }: DropValuesPorts,
  listing: Listing,
  what: DroppedValues,
): Promise<void> {
  const { storeClientId, target } = listing;
  // Its values may have moved to another name of the product since it was read.
  await updateListing(
    listings,
    storeClientId,
    target,
    (current) => {
      if (current === undefined) return undefined;
      const dropped = Object.fromEntries(pendingOf(current, what));
      return settleRegisters(current, dropped, { outcome: 'rejected', code: DISCARDED }, clock.now());
    },
    listing,
  );
}

function pendingOf(listing: Listing, what: DroppedValues) {
  return registerEntries(listing.desired).filter(
    ([name, register]) => (what !== 'prices' || !isStockRegister(name)) && isPending(listing, name, register),
  );
}

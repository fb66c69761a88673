import { forEachConcurrently } from '../../collections/for-each-concurrently.ts';
import type { TicketQueue } from '../../lanes/ports.ts';
import type { ListingTable } from '../ports.ts';
import { rearm } from '../rules/rearm.ts';
import { targetFault } from '../rules/room.ts';
import { updateListing } from './update-listing.ts';

export interface RearmTargetsPorts {
  readonly listings: Pick<ListingTable, 'update'>;
  readonly tickets: TicketQueue;
  readonly clock: { now(): number };
}

/** Listings written at a time. */
const WRITE_CONCURRENCY = 10;

/**
 * Tells the listings of `targets` (`sku:…`, `id:…`, `externalId:…`) that their product has been created: values that
 * were rejected with INV_001, INV_002 or PRD_016 wait again. Targets without a listing are none of its business.
 */
export async function rearmTargets(
  ports: RearmTargetsPorts,
  storeClientId: string,
  targets: readonly string[],
): Promise<void> {
  let waiting = false;
  const listable = targets.filter((target) => targetFault(target) === undefined);
  await forEachConcurrently(listable, WRITE_CONCURRENCY, async (target) => {
    const listing = await updateListing(
      ports.listings,
      storeClientId,
      target,
      (current) => current && rearm(current, ports.clock.now()),
    );
    waiting ||= listing?.waitingSince !== undefined;
  });
  if (waiting) await ports.tickets.send([{ storeClientId }]);
}

import { forEachConcurrently } from '../../collections/for-each-concurrently.ts';
import type { Clock } from '../../time/clock.ts';
import type { LaneWaker, ListingTable } from '../ports.ts';
import { targetFault } from '../rules/room.ts';
import { type Creation, rearm } from '../rules/settle-row.ts';

export interface RearmTargetsPorts {
  readonly listings: Pick<ListingTable, 'update'>;
  readonly tickets: LaneWaker;
  readonly clock: Pick<Clock, 'now'>;
}

/** Listings written at a time. */
const WRITE_CONCURRENCY = 10;

/**
 * Has the values of `targets` (`sku:…`, `id:…`, `externalId:…`) wait again that their creation has not brought along, see
 * `rearm`. Targets without a listing get none. May be done again for the same creation.
 */
export async function rearmTargets(
  { listings, tickets, clock }: RearmTargetsPorts,
  storeClientId: string,
  targets: readonly string[],
  creation: Creation,
): Promise<void> {
  let isWaiting = false;
  const listable = targets.filter((target) => targetFault(target) === undefined);
  await forEachConcurrently(listable, WRITE_CONCURRENCY, async (target) => {
    const listing = await listings.update(
      storeClientId,
      target,
      (current) => current && rearm(current, creation, clock.now()),
    );
    isWaiting ||= listing?.waitingSince !== undefined;
  });
  if (isWaiting) await tickets.send([{ storeClientId }]);
}

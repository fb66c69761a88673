import { forEachConcurrently } from '../../collections/for-each-concurrently.ts';
import type { Listing, Live, LiveValues } from '../model.ts';
import type { ListingTable } from '../ports.ts';
import { withLive } from '../rules/live.ts';
import { targetFault } from '../rules/room.ts';
import { updateListing } from './update-listing.ts';

/** Listings written at a time. */
const WRITE_CONCURRENCY = 10;

/**
 * Records what targets showed when they were read, in the listings that keep their values. Targets without a listing are
 * none of its business; what a later read has shown stays.
 *
 * @param at ISO 8601; when the marketplace was asked.
 */
export async function recordLive(
  listings: Pick<ListingTable, 'getMany' | 'update'>,
  storeClientId: string,
  shown: ReadonlyMap<string, LiveValues>,
  at: string,
): Promise<void> {
  const known = await listings.getMany(storeClientId, [...shown.keys()]);
  const keepers = new Map<string, { readonly listing: Listing | undefined; readonly live: Live }>();
  for (const [target, listing] of known) {
    const keeper = listing.aliasOf ?? target;
    const own = listing.aliasOf === undefined ? listing : keepers.get(keeper)?.listing;
    keepers.set(keeper, { listing: own, live: { at, values: shown.get(target) ?? {} } });
  }
  await forEachConcurrently([...keepers], WRITE_CONCURRENCY, async ([target, { listing, live }]) => {
    await updateListing(
      listings,
      storeClientId,
      target,
      (current) => current && withLive(current, live),
      listing,
    );
  });
}

/** Records that there was no product when a target was read. An alias tells nothing of its product's other names. */
export async function recordMissing(
  listings: Pick<ListingTable, 'update'>,
  storeClientId: string,
  target: string,
  at: string,
): Promise<void> {
  if (targetFault(target) !== undefined) return;
  const live: Live = { at, values: {}, missing: true };
  await listings.update(storeClientId, target, (current) =>
    current === undefined || current.aliasOf !== undefined ? undefined : withLive(current, live),
  );
}

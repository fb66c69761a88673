import type { EventPublisher } from '../../events/ports.ts';
import type { Listing, ListingChange } from '../../listings/model.ts';
import type { ListingTable } from '../../listings/ports.ts';
import { mergeChange } from '../../listings/rules/merge-change.ts';
import { getListing } from '../../listings/use-cases/update-listing.ts';
import type { PriceGuard } from '../model.ts';
import type { GuardTable } from '../ports.ts';
import { countLargeChanges, isLargeChange, isWindowOver } from '../rules/price-guard.ts';

export interface GuardPricesPorts {
  readonly guards: GuardTable;
  readonly listings: Pick<ListingTable, 'get' | 'getMany' | 'countPriced'>;
  readonly events: EventPublisher;
  readonly clock: { now(): number };
}

/**
 * Looks at price changes before they are merged, and holds a store's prices when too many change by too much: the hold
 * is there before any of these changes can leave. Stores without a guard cost one read.
 */
export async function guardPrices(ports: GuardPricesPorts, changes: readonly ListingChange[]): Promise<void> {
  const prices = changes.filter(({ values }) => values.price !== undefined);
  for (const [storeClientId, own] of Map.groupBy(prices, (change) => change.storeClientId)) {
    const guard = await ports.guards.get(storeClientId);
    if (guard?.hold !== undefined) await announce(ports, guard);
    else if (guard?.limits !== undefined) await announce(ports, await count(ports, guard, own));
  }
}

async function count(
  ports: GuardPricesPorts,
  guard: PriceGuard,
  changes: readonly ListingChange[],
): Promise<PriceGuard> {
  const { storeClientId } = guard;
  const now = ports.clock.now();
  const large = await countLarge(ports, guard, changes);
  if (large === 0) return guard;
  const knownListings = isWindowOver(guard, now)
    ? await ports.listings.countPriced(storeClientId)
    : undefined;
  const counted = await ports.guards.update(storeClientId, (current) =>
    countLargeChanges(current ?? guard, { large, knownListings, now }),
  );
  return counted ?? guard;
}

async function countLarge(
  { listings, clock }: GuardPricesPorts,
  { storeClientId, limits }: PriceGuard,
  changes: readonly ListingChange[],
): Promise<number> {
  let large = 0;
  const byTarget = Map.groupBy(changes, (change) => change.target);
  const found = await listings.getMany(storeClientId, [...byTarget.keys()]);
  for (const [target, own] of byTarget) {
    const named = found.get(target);
    const listing =
      named?.aliasOf === undefined ? named : await getListing(listings, storeClientId, named.aliasOf);
    const before = listing?.desired.price?.value;
    const after = mergedPrice(listing, own, clock.now());
    if (typeof before !== 'number' || typeof after !== 'number' || limits === undefined) continue;
    if (isLargeChange(before, after, limits.maxChangePercent)) large += 1;
  }
  return large;
}

function mergedPrice(listing: Listing | undefined, changes: readonly ListingChange[], now: number) {
  let merged = listing;
  for (const change of changes) {
    const merge = mergeChange(merged, change, now);
    if (merge.result === 'changed') merged = merge.listing;
  }
  return merged?.desired.price?.value;
}

/** Says on the bus that prices are held. After a crash in between the change comes again with its message, and says it. */
async function announce(ports: GuardPricesPorts, { storeClientId, hold }: PriceGuard): Promise<void> {
  if (hold === undefined || hold.announced) return;
  const { announced: _, ...facts } = hold;
  await ports.events.publish([{ detailType: 'prices.held', detail: { storeClientId, ...facts } }]);
  await ports.guards.update(storeClientId, (current) =>
    current?.hold === undefined ? undefined : { ...current, hold: { ...current.hold, announced: true } },
  );
}

import type { EventPublisher } from '../../events/ports.ts';
import { isStockRegister, type Listing, type ListingChange, registerEntries } from '../../listings/model.ts';
import type { ListingTable } from '../../listings/ports.ts';
import { mergeChange } from '../../listings/rules/merge-change.ts';
import { getListing } from '../../listings/use-cases/update-listing.ts';
import type { PriceGuard } from '../model.ts';
import type { GuardTable } from '../ports.ts';
import {
  countLargeChanges,
  isLargeChange,
  notCounted,
  pricesAtStart,
  withWindow,
} from '../rules/price-guard.ts';

export interface GuardPricesPorts {
  readonly guards: GuardTable;
  readonly listings: Pick<ListingTable, 'get' | 'getMany' | 'countPriced'>;
  readonly events: EventPublisher;
  readonly clock: { now(): number };
}

/** By store: when the window began (epoch ms) to which its price changes belong. */
export type GuardWindows = ReadonlyMap<string, number>;

/**
 * Looks at price changes before they are merged, and holds a store's prices when too many change by too much: the hold
 * is there before any of these changes can leave. What comes again is not counted twice. Stores without a guard cost one
 * read; with one a read of the listings that change, a write where a window begins, and one where something new counts.
 */
export async function guardPrices(
  ports: GuardPricesPorts,
  changes: readonly ListingChange[],
): Promise<GuardWindows> {
  const windows = new Map<string, number>();
  const prices = changes.filter(({ values }) =>
    registerEntries(values).some(([name]) => !isStockRegister(name)),
  );
  for (const [storeClientId, own] of Map.groupBy(prices, (change) => change.storeClientId)) {
    const guard = await ports.guards.get(storeClientId);
    if (guard === undefined) continue;
    const { hold, window } = await count(ports, guard, own);
    if (hold !== undefined) await announce(ports, { storeClientId, hold });
    else if (window !== undefined) windows.set(storeClientId, window.startedAt);
  }
  return windows;
}

async function count(
  ports: GuardPricesPorts,
  found: PriceGuard,
  changes: readonly ListingChange[],
): Promise<PriceGuard> {
  const { storeClientId } = found;
  const now = ports.clock.now();
  const begin = (current: PriceGuard | undefined) => withWindow(current ?? found, now);
  const guard = begin(found) === undefined ? found : await ports.guards.update(storeClientId, begin);
  if (guard?.window === undefined || guard.hold !== undefined) return guard ?? found;
  const { startedAt, knownListings } = guard.window;
  const targets = notCounted(guard, await largelyChanged(ports, guard, startedAt, changes), now);
  if (targets.length === 0) return guard;
  const large = {
    targets,
    knownListings: knownListings ?? (await ports.listings.countPriced(storeClientId)),
    startedAt,
    now,
  };
  const counted = await ports.guards.update(storeClientId, (current) =>
    countLargeChanges(current ?? guard, large),
  );
  return counted ?? guard;
}

/** The targets whose prices will be too far from what they were when the window began. */
async function largelyChanged(
  { listings, clock }: GuardPricesPorts,
  { storeClientId, limits }: PriceGuard,
  startedAt: number,
  changes: readonly ListingChange[],
): Promise<string[]> {
  if (limits === undefined) return [];
  const large = new Set<string>();
  const byTarget = Map.groupBy(changes, (change) => change.target);
  const found = await listings.getMany(storeClientId, [...byTarget.keys()]);
  for (const [target, own] of byTarget) {
    const named = found.get(target);
    const listing =
      named?.aliasOf === undefined ? named : await getListing(listings, storeClientId, named.aliasOf);
    if (listing === undefined) continue;
    const before = pricesAtStart(listing, startedAt);
    const { price, specialPrice } = merged(listing, own, clock.now()).desired;
    const after = { price: price?.value, specialPrice: specialPrice?.value };
    // Under whichever of its names the product comes, it is one listing.
    if (isLargeChange(before, after, limits.maxChangePercent)) large.add(listing.target);
  }
  return [...large];
}

function merged(listing: Listing, changes: readonly ListingChange[], now: number): Listing {
  return changes.reduce((current, change) => {
    const merge = mergeChange(current, change, now);
    return merge.result === 'changed' ? merge.listing : current;
  }, listing);
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

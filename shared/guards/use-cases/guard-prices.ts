import type { EventPublisher } from '../../events/outgoing.ts';
import { isStockRegister, type ListingChange, registerEntries } from '../../listings/model.ts';
import type { ListingTable } from '../../listings/ports.ts';
import { mergeChanges } from '../../listings/rules/merge-change.ts';
import type { Clock } from '../../time/clock.ts';
import type { GuardTable } from '../ports.ts';
import {
  countLargeChanges,
  type GuardWindow,
  isLargeChange,
  type PriceGuard,
  pricesBefore,
  pricesOf,
  windowOf,
} from '../rules/price-guard.ts';

export interface GuardPricesPorts {
  readonly guards: GuardTable;
  readonly listings: Pick<ListingTable, 'getMany' | 'countPriced'>;
  readonly events: EventPublisher;
  readonly clock: Pick<Clock, 'now'>;
}

/**
 * Counts a store's large price changes before they are merged. If the count exceeds the limit, holds the store's prices, so that none of
 * these changes is sent before the hold. A redelivery is not counted twice. Costs one read for a store without a guard; otherwise also a
 * read of the listings, and a write if there are large changes.
 *
 * @returns the window to which the changes belong, if the guard counts them
 */
export async function guardPrices(
  ports: GuardPricesPorts,
  storeClientId: string,
  changes: readonly ListingChange[],
): Promise<GuardWindow | undefined> {
  const prices = changes.filter(({ values }) =>
    registerEntries(values).some(([name]) => !isStockRegister(name)),
  );
  const found = prices.length === 0 ? undefined : await ports.guards.get(storeClientId);
  if (found === undefined) return undefined;
  const guard = await countIn(ports, found, prices);
  await announce(ports, guard);
  return windowOf(guard, ports.clock.now());
}

async function countIn(
  ports: GuardPricesPorts,
  guard: PriceGuard,
  changes: readonly ListingChange[],
): Promise<PriceGuard> {
  const { storeClientId, known: last } = guard;
  const now = ports.clock.now();
  const window = windowOf(guard, now);
  if (window === undefined) return guard;
  const targets = await largelyChanged(ports, guard, window, changes);
  if (targets.length === 0) return guard;
  const isFresh = last !== undefined && last.at >= window.from;
  const known = isFresh ? last : { listings: await ports.listings.countPriced(storeClientId), at: now };
  const count = (current = guard) => countLargeChanges(current, targets, known, now);
  return (await ports.guards.update(storeClientId, count)) ?? guard;
}

/** The targets with large changes within the window. */
async function largelyChanged(
  { listings }: GuardPricesPorts,
  { storeClientId, limits }: PriceGuard,
  window: GuardWindow,
  changes: readonly ListingChange[],
): Promise<string[]> {
  const byTarget = Map.groupBy(changes, (change) => change.target);
  const found = await listings.getMany(storeClientId, [...byTarget.keys()]);
  return [...found.values()]
    .filter((listing) => {
      const own = byTarget.get(listing.target) ?? [];
      const { listing: merged = listing } = mergeChanges(listing, own, window.now);
      return isLargeChange(pricesBefore(listing, window), pricesOf(merged), limits?.maxChangePercent ?? 0);
    })
    .map(({ target }) => target);
}

/** Publishes a hold, then records that it was published. After a crash in between, the redelivered message publishes it again. */
async function announce(ports: GuardPricesPorts, { storeClientId, hold }: PriceGuard): Promise<void> {
  if (hold === undefined || hold.announced) return;
  const { announced: _, ...facts } = hold;
  await ports.events.publish([{ detailType: 'prices.held', detail: { storeClientId, ...facts } }]);
  await ports.guards.update(storeClientId, (current) =>
    current?.hold?.since === hold.since
      ? { ...current, hold: { ...current.hold, announced: true } }
      : undefined,
  );
}

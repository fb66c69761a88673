import type { Listing } from '../../shared/listings/model.ts';
import { pagedListings } from '../../shared/listings/pages/paged-listings.ts';
import type { ListingItems, ListingTable } from '../../shared/listings/ports.ts';
import type { WaitingPage } from '../../shared/listings/waiting-pages.ts';
import type { Clock } from '../../shared/time/clock.ts';
import { inMemoryWaitingPages } from './in-memory-waiting-pages.ts';
import { compareText, pageOf } from './page-of.ts';
import { directly, type Step } from './step.ts';
import { updateItem, VersionedItems } from './versioned-items.ts';

/** What is in a Listings table and its Waiting table; tables over the same state are one. */
export interface ListingState {
  readonly items: VersionedItems<Listing>;
  readonly pages: Map<string, WaitingPage>;
}

/** Pages put into each Waiting table: a simulated run must number them in the same way each time. */
const pagesPut = new WeakMap<Map<string, WaitingPage>, number>();

/** The Listings table in memory. `clock`: default the system's. */
export function inMemoryListingTable(
  step: Step = directly,
  { items, pages }: ListingState = { items: new VersionedItems(), pages: new Map() },
  clock: Pick<Clock, 'now'> = { now: Date.now },
): ListingTable {
  return pagedListings({
    items: inMemoryListingItems(step, items),
    pages: inMemoryWaitingPages(step, pages),
    clock,
    newId: () => {
      const number = (pagesPut.get(pages) ?? 0) + 1;
      pagesPut.set(pages, number);
      return String(number);
    },
  });
}

function inMemoryListingItems(step: Step, items: VersionedItems<Listing>): ListingItems {
  return {
    get: async (storeClientId, target) => {
      const key = keyOf(storeClientId, target);
      return (await step(`listings.read ${key}`, () => items.read(key)))?.value;
    },

    getMany: async (storeClientId, targets) =>
      step(`listings.getMany ${storeClientId} ${targets.join(' ')}`, () => {
        const found = targets.flatMap((target) => items.read(keyOf(storeClientId, target))?.value ?? []);
        return new Map(found.map((listing) => [listing.target, listing]));
      }),

    listed: (storeClientId, targets) =>
      step(`listings.listed ${storeClientId} ${targets.join(' ')}`, () =>
        targets.filter((target) => items.read(keyOf(storeClientId, target)) !== undefined),
      ),

    update: async (storeClientId, target, change, known, finish) => {
      const item = { items, key: keyOf(storeClientId, target), step, name: 'listings' };
      return updateItem(item, change, known, finish);
    },

    drop: (storeClientId, names) =>
      step(`listings.drop ${storeClientId}`, () => {
        for (const listing of items.all()) {
          const isNamed = names.some((name) => listing.target.startsWith(`${name}:`));
          if (listing.storeClientId !== storeClientId || !isNamed) continue;
          if (listing.page === undefined) items.delete(keyOf(storeClientId, listing.target));
        }
        return true;
      }),

    remove: (storeClientId, target) =>
      step(`listings.remove ${storeClientId} ${target}`, () => items.delete(keyOf(storeClientId, target))),

    named: (storeClientId, beginning, limit) =>
      step(`listings.named ${storeClientId}`, () =>
        items
          .all()
          .filter(
            (listing) => listing.storeClientId === storeClientId && listing.target.startsWith(beginning),
          )
          .sort((a, b) => compareText(a.target, b.target))
          .slice(0, limit),
      ),

    ofProduct: (productId) =>
      step(`listings.ofProduct ${productId}`, () =>
        items.all().filter((listing) => listing.productId === productId),
      ),

    list: (storeClientId, request) =>
      step(`listings.list ${storeClientId}`, () => {
        const own = items
          .all()
          .filter((listing) => listing.storeClientId === storeClientId)
          .sort((a, b) => compareText(a.target, b.target));
        const { page, ...rest } = pageOf(own, ({ target }) => target, request);
        return { listings: page, ...rest };
      }),

    targets: (storeClientId) =>
      step(`listings.targets ${storeClientId}`, () => {
        const own = items.all().filter((listing) => listing.storeClientId === storeClientId);
        return own.map(({ target }) => target).sort(compareText);
      }),

    countPriced: (storeClientId) =>
      step(`listings.countPriced ${storeClientId}`, () => {
        const own = items.all().filter((listing) => listing.storeClientId === storeClientId);
        return own.filter((listing) => listing.desired.price !== undefined).length;
      }),
  };
}

/** The longest sort key that DynamoDB accepts. */
const MAX_KEY_BYTES = 1024;

function keyOf(storeClientId: string, target: string): string {
  if (Buffer.byteLength(target) > MAX_KEY_BYTES) throw new Error(`no key is as long as ${target}`);
  return `${storeClientId} ${target}`;
}

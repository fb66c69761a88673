import type { Listing } from '../../shared/listings/model.ts';
import type { ListingTable } from '../../shared/listings/ports.ts';
import { formatWaitingKey, priorities, readyAt, waitingKey } from '../../shared/listings/rules/waiting.ts';
import { compareText, pageOf } from './page-of.ts';
import { directly, type Step } from './step.ts';
import { updateItem, VersionedItems, type VersionedValue } from './versioned-items.ts';

/** The Listings table in memory; tables over the same `items` are one table. */
export function inMemoryListingTable(
  step: Step = directly,
  items: VersionedItems<Listing> = new VersionedItems(),
): ListingTable {
  const revisions = new WeakMap<Listing, number>();
  const remember = (read: VersionedValue<Listing> | undefined): Listing | undefined => {
    if (read !== undefined) revisions.set(read.value, read.revision);
    return read?.value;
  };
  const readAll = (found: readonly Listing[]) =>
    found.flatMap(({ storeClientId, target }) => remember(items.read(keyOf(storeClientId, target))) ?? []);

  return {
    get: async (storeClientId, target) => {
      const key = keyOf(storeClientId, target);
      return remember(await step(`listings.read ${key}`, () => items.read(key)));
    },

    getMany: async (storeClientId, targets) =>
      step(`listings.getMany ${storeClientId} ${targets.join(' ')}`, () => {
        const found = targets.flatMap((target) => remember(items.read(keyOf(storeClientId, target))) ?? []);
        return new Map(found.map((listing) => [listing.target, listing]));
      }),

    listed: (storeClientId, targets) =>
      step(`listings.listed ${storeClientId} ${targets.join(' ')}`, () =>
        targets.filter((target) => items.read(keyOf(storeClientId, target)) !== undefined),
      ),

    update: async (storeClientId, target, change, known) => {
      const item = { items, key: keyOf(storeClientId, target), step, name: 'listings' };
      if (known === undefined || known === 'none') return updateItem(item, change, known);
      const revision = revisions.get(known);
      return updateItem(item, change, revision === undefined ? undefined : { value: known, revision });
    },

    waiting: (storeClientId, { priority, dueBy, limit, after }) =>
      step(`listings.waiting ${storeClientId} ${priority}`, () => {
        const last = formatWaitingKey(priority, dueBy);
        const due = waitingOf(items, storeClientId).filter(
          ({ key }) => key.startsWith(`${priority}#`) && key <= last,
        );
        const { page, cursor: next } = pageOf(due, ({ position }) => position, { limit, cursor: after });
        const listings = readAll(page.map(({ listing }) => listing));
        return { listings, ...(next === undefined ? {} : { next }) };
      }),

    drop: (storeClientId, names) =>
      step(`listings.drop ${storeClientId}`, () => {
        for (const listing of items.all()) {
          const isNamed = names.some((name) => listing.target.startsWith(`${name}:`));
          if (listing.storeClientId !== storeClientId || !isNamed) continue;
          if (waitingKey(listing) === undefined) items.delete(keyOf(storeClientId, listing.target));
        }
        return true;
      }),

    remove: (storeClientId, target) =>
      step(`listings.remove ${storeClientId} ${target}`, () => items.delete(keyOf(storeClientId, target))),

    countPriced: (storeClientId) =>
      step(
        `listings.countPriced ${storeClientId}`,
        () =>
          items
            .all()
            .filter(
              (listing) => listing.storeClientId === storeClientId && listing.desired.price !== undefined,
            ).length,
      ),

    nextDue: (storeClientId, among = Object.values(priorities)) =>
      step(`listings.nextDue ${storeClientId}`, () => {
        const waiting = waitingOf(items, storeClientId);
        const firsts = among.flatMap(
          (priority) => waiting.find(({ key }) => key.startsWith(`${priority}#`)) ?? [],
        );
        return firsts.length === 0 ? undefined : Math.min(...firsts.map(({ listing }) => readyAt(listing)));
      }),

    waitingSince: (storeClientId, among = Object.values(priorities)) =>
      step(`listings.waitingSince ${storeClientId}`, () => {
        const times = waitingOf(items, storeClientId)
          .filter(({ key }) => among.some((priority) => key.startsWith(`${priority}#`)))
          .flatMap(({ listing }) => listing.waitingSince ?? []);
        return times.length === 0 ? undefined : Math.min(...times);
      }),
  };
}

/** The longest sort key that DynamoDB accepts. */
const MAX_KEY_BYTES = 1024;

function keyOf(storeClientId: string, target: string): string {
  if (Buffer.byteLength(target) > MAX_KEY_BYTES) throw new Error(`no key is as long as ${target}`);
  return `${storeClientId} ${target}`;
}

/** The index `waiting` of one store, in its order. */
function waitingOf(items: VersionedItems<Listing>, storeClientId: string) {
  return items
    .all()
    .filter((listing) => listing.storeClientId === storeClientId)
    .flatMap((listing) => {
      const key = waitingKey(listing);
      return key === undefined ? [] : [{ listing, key, position: `${key} ${listing.target}` }];
    })
    .sort((a, b) => compareText(a.position, b.position));
}

import type { Clock } from '../../time/clock.ts';
import type { Listing } from '../model.ts';
import type {
  ListingItems,
  ListingTable,
  PlannedUpdate,
  PreparedPages,
  WaitingListings,
  WaitingQuery,
} from '../ports.ts';
import { type Priority, priorities, readyAt, waitingKey } from '../rules/waiting.ts';
import type { WaitingPage, WaitingPageTable } from '../waiting-pages.ts';
import { EmptiedPages } from './emptied-pages.ts';
import { FIRST_PAGE, fittingPage, LAST_PAGE, pagesFor, priorityOf, timeOf } from './page-places.ts';

export interface PagedListingsPorts {
  readonly items: ListingItems;
  readonly pages: WaitingPageTable;
  readonly clock: Pick<Clock, 'now'>;
  /** Unique every time. */
  readonly newId: () => string;
}

/** Most pages in one read. */
const PAGES_PER_READ = 10;

/**
 * After this time no listing comes into a page, even if the page is not marked as written. The writer puts the page before the
 * listings, so that no waiting listing is missed, and may write the listings later. This is longer than the time limit of every
 * function that writes listings.
 */
const UNUSED_FOR_MS = 300_000;

interface Paged extends PagedListingsPorts {
  readonly emptied: EmptiedPages;
}

/** The listings of `items`. The pages of the waiting listings are in `pages`. */
export function pagedListings(ports: PagedListingsPorts): ListingTable {
  const paged = { ...ports, emptied: new EmptiedPages(ports.pages) };
  return {
    ...ports.items,
    prepare: (updates) => prepare(paged, updates),
    update: (...update) => updateInPage(paged, ...update),
    waiting: (...query) => readWaiting(paged, ...query),
    firstPriority: (storeClientId) => firstPriority(paged, storeClientId),
    nextDue: async (storeClientId, among = Object.values(priorities)) => {
      const first = await firstPriority(paged, storeClientId);
      if (first === undefined) return undefined;
      const present = among.filter((priority) => priority >= first);
      const times = await Promise.all(present.map((priority) => firstReady(paged, storeClientId, priority)));
      const found = times.filter((time) => time !== undefined);
      return found.length === 0 ? undefined : Math.min(...found);
    },
  };
}

async function prepare(paged: Paged, updates: readonly PlannedUpdate[]): Promise<PreparedPages> {
  const moved = updates.flatMap(({ change, known }) => {
    const current = known === 'none' ? undefined : known;
    const next = change(current);
    return next !== undefined && needsPage(next, current) ? [next] : [];
  });
  return putPagesFor(paged, moved);
}

/** Puts the pages of listings that are about to be written. */
async function putPagesFor(paged: Paged, listings: readonly Listing[]): Promise<PreparedPages> {
  const put = pagesFor(paged, listings);
  if (put.length > 0) await paged.pages.putAll(put);
  return preparedPages(paged.pages, put);
}

/**
 * Pages that were put for updates. Once all listings of a page are written, the page is put again as written. From then on a reader
 * skips the targets that it did not find in the page. Without the mark, it would read their listings each time.
 */
function preparedPages(pages: Pick<WaitingPageTable, 'putAll'>, put: readonly WaitingPage[]): PreparedPages {
  const pageOf = new Map(put.flatMap((page) => page.targets.map((target) => [target, page])));
  const open = new Map(put.map((page) => [page, new Set(page.targets)]));
  return {
    pageOf: (target) => pageOf.get(target)?.page,
    written: async (target) => {
      const page = pageOf.get(target);
      const left = page && open.get(page);
      if (page === undefined || !left?.delete(target) || left.size > 0) return;
      // The mark is only a hint: without it, readers read more listings.
      await pages.putAll([{ ...page, isWritten: true }]).catch(() => undefined);
    },
  };
}

async function updateInPage(
  paged: Paged,
  ...[storeClientId, target, change, known, prepared]: Parameters<ListingTable['update']>
): Promise<Listing | undefined> {
  let own: PreparedPages | undefined;
  let before: Listing | undefined;
  let next: Listing | undefined;
  const changeInPage = (current: Listing | undefined) => {
    before = current;
    const changed = change(current);
    next = changed && withPage(changed, current, prepared);
    return next;
  };
  const finish = async (listing: Listing): Promise<Listing> => {
    if (listing.page !== undefined || waitingKey(listing) === undefined) return listing;
    own = await putPagesFor(paged, [listing]);
    return { ...listing, page: own.pageOf(target) };
  };
  const written = await paged.items.update(storeClientId, target, changeInPage, known, finish);
  await Promise.all([prepared?.written(target), own?.written(target)]);
  const left = before?.page;
  if (next !== undefined && left !== undefined && written?.page !== left) {
    await paged.emptied.leave(storeClientId, left, target);
  }
  return written;
}

async function* readWaiting(
  paged: Paged,
  storeClientId: string,
  { among, dueBy, limit = Number.POSITIVE_INFINITY, besides }: WaitingQuery,
): AsyncGenerator<WaitingListings, void, undefined> {
  const left = new Map(among.map((priority) => [priority, limit]));
  let from = `${Math.min(...among)}#`;
  const to = `${Math.max(...among)}$`;
  for (let isMore = true; isMore; ) {
    const read = await paged.pages.query(storeClientId, { from, to, limit: PAGES_PER_READ });
    isMore = read.isMore;
    for (const page of read.pages) {
      const priority = priorityOf(page.page);
      let wanted = timeOf(page.page) <= dueBy ? (left.get(priority) ?? 0) : 0;
      // If this page is not wanted, no later page of its priority is.
      from = wanted > 0 ? `${page.page} ` : `${priority}$`;
      for (let offset = 0; offset < page.targets.length && wanted > 0; ) {
        const part = page.targets.slice(offset, offset + wanted);
        offset += part.length;
        const open = part.filter((target) => !besides?.has(target));
        const found = await listingsOf(paged, page, open);
        const listings = found.filter((listing) => readyAt(listing) <= dueBy);
        wanted -= listings.length;
        left.set(priority, wanted);
        yield { priority, listings };
      }
    }
  }
}

/** One read is enough: a page is put before its listings, and pages are in the order of their priorities. */
async function firstPriority({ pages }: Paged, storeClientId: string): Promise<Priority | undefined> {
  const first = await pages.query(storeClientId, { from: FIRST_PAGE, to: LAST_PAGE, limit: 1 });
  return first.pages.map(({ page }) => priorityOf(page)).at(0);
}

/** The earliest time of a listing of the first page that is not empty. */
async function firstReady(
  paged: Paged,
  storeClientId: string,
  priority: Priority,
): Promise<number | undefined> {
  const all = { among: [priority], dueBy: Number.POSITIVE_INFINITY };
  for await (const { listings } of readWaiting(paged, storeClientId, all))
    if (listings.length > 0) return Math.min(...listings.map(readyAt));
  return undefined;
}

/** The listings that are in a page. */
async function listingsOf(
  { items, pages, clock, emptied }: Paged,
  page: WaitingPage,
  targets: readonly string[],
): Promise<Listing[]> {
  const open = emptied.openOf(page, targets);
  const known = open.length === 0 ? undefined : await items.getMany(page.storeClientId, open);
  const listings = open.flatMap((target) => known?.get(target) ?? []).filter((it) => it.page === page.page);
  const isFinal = page.isWritten || page.putAt + UNUSED_FOR_MS < clock.now();
  if (isFinal) emptied.keepOnly(page, listings, targets);
  if (isFinal && listings.length === 0 && targets.length === page.targets.length) {
    await pages.delete(page.storeClientId, page.page);
  }
  return listings;
}

/** Whether a listing waits and needs another page than its present one. */
function needsPage(next: Listing, current: Listing | undefined): boolean {
  const place = waitingKey(next);
  return place !== undefined && fittingPage(place, current?.page) === undefined;
}

/** The listing with its page: the present one if it suits, else the prepared one, else none. */
function withPage(
  { page: _, ...next }: Listing,
  current: Listing | undefined,
  prepared: PreparedPages | undefined,
): Listing {
  const place = waitingKey(next);
  if (place === undefined) return next;
  const page = fittingPage(place, current?.page) ?? fittingPage(place, prepared?.pageOf(next.target));
  return page === undefined ? next : { ...next, page };
}

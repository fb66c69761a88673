import type { Clock } from '../../time/clock.ts';
import type { EpochMs } from '../../time/times.ts';
import type { Listing } from '../model.ts';
import { type Priority, readyAt, waitingKey } from '../rules/waiting.ts';
import type { WaitingPage } from '../waiting-pages.ts';

/** Most listings in a page. One request has as many rows, and the page stays far below the size limit of an item. */
const TARGETS_PER_PAGE = 100;
/** The listings of one page may be sent at times that differ by at most this much. */
const SPAN_MS = 1_000;
const TIME_DIGITS = 15;
const PRIORITY_LENGTH = '0#'.length;

/** Keys before and after all pages of a store. */
export const FIRST_PAGE = '0';
export const LAST_PAGE = '9';

/** The given page if it suits the listing's priority and time (`place`: its `waitingKey`); `undefined` otherwise. */
export function fittingPage(place: string, page: string | undefined): string | undefined {
  if (page === undefined || !isSamePriority(page, place)) return undefined;
  const laterMs = timeOf(place) - timeOf(page);
  return laterMs >= 0 && laterMs <= SPAN_MS ? page : undefined;
}

/** New pages for waiting listings. */
export function pagesFor(
  { clock, newId }: { readonly clock: Pick<Clock, 'now'>; readonly newId: () => string },
  listings: readonly Listing[],
): WaitingPage[] {
  const put: { page: WaitingPage; targets: string[] }[] = [];
  const placed = listings.map((listing) => ({ listing, place: waitingKey(listing) ?? '' }));
  for (const { listing, place } of placed.sort((a, b) => (a.place < b.place ? -1 : 1))) {
    const { storeClientId, target, waitingSince = readyAt(listing) } = listing;
    let open = put.at(-1);
    if (
      open === undefined ||
      open.targets.length >= TARGETS_PER_PAGE ||
      !fittingPage(place, open.page.page)
    ) {
      const targets: string[] = [];
      const page = `${place}#${newId()}`;
      open = { page: { storeClientId, page, targets, since: waitingSince, putAt: clock.now() }, targets };
      put.push(open);
    }
    open.targets.push(target);
    open.page = { ...open.page, since: Math.min(open.page.since, waitingSince) };
  }
  return put.map(({ page }) => page);
}

function isSamePriority(page: string, place: string): boolean {
  return page.startsWith(place.slice(0, PRIORITY_LENGTH));
}

export function priorityOf(page: string): Priority {
  return Number(page[0]) as Priority;
}

/** When the first listing of a page may be sent. */
export function timeOf(page: string): EpochMs {
  return Number(page.slice(PRIORITY_LENGTH, PRIORITY_LENGTH + TIME_DIGITS));
}

import { type GuardWindow, withPricesBefore } from '../../guards/rules/price-guard.ts';
import type { LaneTable } from '../../lanes/ports.ts';
import type { Listing } from '../../listings/model.ts';
import type { ListingTable } from '../../listings/ports.ts';
import { mergeChange } from '../../listings/rules/merge-change.ts';
import type { Clock } from '../../time/clock.ts';
import type { ChangeRow, RowRefusal } from '../model.ts';

export interface MergeTargetPorts {
  readonly listings: Pick<ListingTable, 'update'>;
  readonly lanes: Pick<LaneTable, 'ensure'>;
  readonly clock: Pick<Clock, 'now'>;
}

/** What came of the rows that name one target. */
export interface MergedTarget {
  /** Whether the listing waits for its lane now. */
  readonly isWaiting: boolean;
  /** Rows that changed the listing. */
  readonly accepted: number;
  /** Values that were older than what stood there. */
  readonly stale: number;
  readonly refused: readonly (readonly [ChangeRow, Omit<RowRefusal, 'rowIndex'>])[];
}

/**
 * Merges the rows of one target and writes the listing once.
 *
 * @param known the listing as it was read, or that there was none: saves a read
 * @param guardWindow of the store's price guard, where one counts
 */
export async function mergeTarget(
  { listings, lanes, clock }: MergeTargetPorts,
  rows: readonly [ChangeRow, ...ChangeRow[]],
  known: Listing | 'none',
  guardWindow?: GuardWindow,
): Promise<MergedTarget> {
  const { storeClientId, target } = rows[0].change;
  // The lane stands before its first listing, so that the waker finds whatever a crash leaves behind here.
  await lanes.ensure(storeClientId);
  let merged: Omit<MergedTarget, 'isWaiting'> = { accepted: 0, stale: 0, refused: [] };
  const change = (current: Listing | undefined) => {
    const outcome = mergeRows(current, rows, clock.now());
    merged = outcome.merged;
    if (outcome.listing === undefined || guardWindow === undefined) return outcome.listing;
    return withPricesBefore(current, outcome.listing, guardWindow);
  };
  const listing = await listings.update(storeClientId, target, change, known);
  return { ...merged, isWaiting: listing?.waitingSince !== undefined };
}

/** `listing` is `undefined` where no row changes it. */
function mergeRows(
  current: Listing | undefined,
  rows: readonly ChangeRow[],
  now: number,
): { listing: Listing | undefined; merged: Omit<MergedTarget, 'isWaiting'> } {
  let listing = current;
  let accepted = 0;
  let stale = 0;
  const refused: [ChangeRow, Omit<RowRefusal, 'rowIndex'>][] = [];
  for (const row of rows) {
    const merge = mergeChange(listing, row.change, now);
    if (merge.result === 'refused') refused.push([row, { code: merge.code, message: merge.message }]);
    if (merge.result === 'changed' || merge.result === 'stale') stale += merge.stale;
    if (merge.result !== 'changed') continue;
    listing = merge.listing;
    accepted += 1;
  }
  return { listing: accepted > 0 ? listing : undefined, merged: { accepted, stale, refused } };
}

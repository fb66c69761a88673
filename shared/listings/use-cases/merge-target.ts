import { withPricesAtStart } from '../../guards/rules/price-guard.ts';
import type { LaneTable } from '../../lanes/ports.ts';
import type { Rejection } from '../../rejections/model.ts';
import type { Clock } from '../../time/clock.ts';
import type { Listing } from '../model.ts';
import type { ListingTable } from '../ports.ts';
import { mergeChange } from '../rules/merge-change.ts';
import { type ChangeRow, rejectionOf } from '../rules/read-changes.ts';
import { updateListing } from './update-listing.ts';

export interface MergeTargetPorts {
  readonly listings: Pick<ListingTable, 'update'>;
  readonly lanes: Pick<LaneTable, 'ensure'>;
  readonly clock: Pick<Clock, 'now'>;
}

/** The rows of a batch of messages that name one target. */
export interface TargetRows {
  readonly storeClientId: string;
  readonly target: string;
  readonly rows: readonly ChangeRow[];
}

export interface MergedTarget {
  /** Whether the listing waits for its lane now. */
  readonly waiting: boolean;
  /** Rows that changed the listing. */
  readonly accepted: number;
  /** Values that were older than what stood there. */
  readonly stale: number;
  readonly rejections: readonly Rejection[];
}

/**
 * Merges the rows of one target and writes the listing once. `known`: see `updateListing`; `windowStart`: when the window
 * of the store's price guard began (epoch ms), where one runs.
 */
export async function mergeTarget(
  ports: MergeTargetPorts,
  { storeClientId, target, rows }: TargetRows,
  known: Listing | 'none',
  windowStart?: number,
): Promise<MergedTarget> {
  // The lane stands before its first listing, so that the waker finds whatever a crash leaves behind here.
  await ports.lanes.ensure(storeClientId);
  let merged: Omit<MergedTarget, 'waiting'> = { accepted: 0, stale: 0, rejections: [] };
  const change = (current: Listing | undefined) => {
    const outcome = mergeRows(current, rows, ports.clock.now());
    merged = outcome.merged;
    if (outcome.listing === undefined || windowStart === undefined) return outcome.listing;
    return withPricesAtStart(current, outcome.listing, windowStart);
  };
  const listing = await updateListing(ports.listings, storeClientId, target, change, known);
  return { ...merged, waiting: listing?.waitingSince !== undefined };
}

/** `listing` is `undefined` where no row changes it. */
function mergeRows(
  current: Listing | undefined,
  rows: readonly ChangeRow[],
  now: number,
): { listing: Listing | undefined; merged: Omit<MergedTarget, 'waiting'> } {
  let listing = current;
  let accepted = 0;
  let stale = 0;
  const rejections: Rejection[] = [];
  for (const row of rows) {
    const merge = mergeChange(listing, row.change, now);
    if (merge.result === 'refused') rejections.push(rejectionOf(row, merge));
    if (merge.result === 'changed' || merge.result === 'stale') stale += merge.stale;
    if (merge.result !== 'changed') continue;
    listing = merge.listing;
    accepted += 1;
  }
  return { listing: accepted > 0 ? listing : undefined, merged: { accepted, stale, rejections } };
}

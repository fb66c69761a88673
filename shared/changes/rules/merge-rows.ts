import type { Listing } from '../../listings/model.ts';
import { mergeChange } from '../../listings/rules/merge-change.ts';
import type { CommandFault } from '../../requests/rules/rejection.ts';
import type { EpochMs } from '../../time/times.ts';
import type { ChangeRow } from './read-changes.ts';

/** Merges rows of one target. `listing` is `undefined` if no row changes it. */
export function mergeRows(current: Listing | undefined, rows: readonly ChangeRow[], now: EpochMs) {
  let listing = current;
  let accepted = 0;
  let negative = 0;
  let stale = 0;
  const rejected = new Map<ChangeRow, CommandFault>();
  for (const row of rows) {
    const merge = mergeChange(listing, row.change, now);
    if (merge.result === 'rejected') {
      rejected.set(row, { code: merge.code, message: merge.message });
      continue;
    }
    stale += merge.stale;
    if (merge.result !== 'changed') continue;
    listing = merge.listing;
    accepted += 1;
    if (row.change.negative !== undefined) negative += 1;
  }
  return {
    before: current,
    listing: accepted > 0 ? listing : undefined,
    accepted,
    negative,
    stale,
    rejected,
  };
}

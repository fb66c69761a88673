import {
  isReadAtMarketplace,
  type Listing,
  type RegisterName,
  registerEntries,
} from '../../listings/model.ts';
import { shownValuesOf } from '../../listings/rules/shown-values.ts';
import { isPending } from '../../listings/rules/waiting.ts';
import type { EpochMs } from '../../time/times.ts';
import type { ShownValues } from '../model.ts';

/** A register whose live value is not the wanted one. */
export interface Difference {
  readonly register: RegisterName;
  readonly wanted: number | null;
  readonly live: number | null;
}

/**
 * What differs between wanted values and a live product. A register that the product does not show counts as equal. The global stock is
 * compared with each warehouse that has no wanted stock of its own.
 */
export function differencesBetween(wanted: ShownValues, shown: ShownValues): Difference[] {
  return registerEntries(wanted).flatMap(([register, value]) => {
    const live = shownValuesOf(wanted, shown, register).find((one) => one !== value);
    return live === undefined ? [] : [{ register, wanted: value, live }];
  });
}

/** A read of products. Times are epoch ms. */
export interface ReadTime {
  /** When the read began. */
  readonly readAt: EpochMs;
  /** How long after its acceptance a value may still be missing. */
  readonly graceMs: number;
}

/**
 * Whether a register can be compared with what a read showed.
 *
 * - `compared`: its newest value was accepted before the read, and the grace time was over when the read began.
 * - `waits`: its newest value waits, is in flight, or was accepted too recently: a later read will show it.
 * - `given up`: its newest value was rejected or discarded, or the partner wants no value.
 */
export function standingOf(
  listing: Listing,
  name: RegisterName,
  { readAt, graceMs }: ReadTime,
): 'compared' | 'waits' | 'given up' {
  const desired = listing.desired[name];
  const settled = listing.settled[name];
  if (desired === undefined || isReadAtMarketplace(desired)) return 'given up';
  if (settled === undefined || isPending(listing, name, desired)) return 'waits';
  if (settled.outcome === 'rejected') return 'given up';
  const { notBefore = 0, createdAt = 0 } = listing;
  const quietSince = Math.max(Date.parse(settled.at), createdAt);
  return quietSince + graceMs > readAt || notBefore > readAt ? 'waits' : 'compared';
}

/** What differs between a listing and what a read showed of its product, among the registers that can be compared. */
export function differencesOf(listing: Listing, shown: ShownValues, time: ReadTime): Difference[] {
  return differencesBetween(wantedValues(listing), shown).filter(
    ({ register }) => standingOf(listing, register, time) === 'compared',
  );
}

function wantedValues({ desired }: Listing): ShownValues {
  return Object.fromEntries(registerEntries(desired).map(([name, { value }]) => [name, value]));
}

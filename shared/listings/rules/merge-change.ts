import {
  type DesiredRegister,
  type DesiredRegisters,
  isStockRegister,
  type Listing,
  type ListingChange,
  type Register,
  type RegisterName,
  type Registers,
  registerEntries,
  type SentRegister,
  type SettledRegister,
  warehouseOf,
} from '../model.ts';
import { lastAccepted, succeeding, superseding } from './raise.ts';
import { compareRegisters } from './register-order.ts';
import { MAX_WAREHOUSES } from './room.ts';
import { withWaiting } from './waiting.ts';

export type Merge =
  /** At least one register has a new value; `stale` counts those of the change that were older. */
  | { readonly result: 'changed'; readonly listing: Listing; readonly stale: number }
  /** Every value was there already. */
  | { readonly result: 'equal' }
  /** Every value was older than what is there (or equal). */
  | { readonly result: 'stale'; readonly stale: number }
  | {
      readonly result: 'refused';
      readonly code: 'VERSION_KIND' | 'PRICE_TARGET_UNKNOWN' | 'TOO_MANY_WAREHOUSES';
      readonly message: string;
    };

/** Older than any version that a partner gives. */
const LOWEST_VERSION = 0;

/** Merges a change into a listing (or begins one); each register keeps its newest value. `now` is epoch ms. */
export function mergeChange(current: Listing | undefined, change: ListingChange, now: number): Merge {
  const listing = current ?? emptyListing(change);
  if (listing.versionKind !== change.versionKind && Object.keys(listing.desired).length > 0) {
    return {
      result: 'refused',
      code: 'VERSION_KIND',
      message: `${change.target} is versioned by ${listing.versionKind}, this change by ${change.versionKind}`,
    };
  }
  if (isPriceOfUnknown(listing, change)) {
    return {
      result: 'refused',
      code: 'PRICE_TARGET_UNKNOWN',
      message: `prices go by sku or id, and no answer has shown yet which product ${change.target} is`,
    };
  }
  const desired: DesiredRegisters = { ...listing.desired };
  let changed = 0;
  let stale = 0;
  for (const [name, value] of registerEntries(change.values)) {
    const order = compareWithDesired(desired, name, { value, version: change.version });
    if (order > 0) desired[name] = succeeding(listing, name, { value, version: change.version });
    if (order > 0) changed += 1;
    if (order < 0) stale += 1;
  }
  if (changed === 0) return stale === 0 ? { result: 'equal' } : { result: 'stale', stale };
  for (const [name, value] of registerEntries(change.base ?? {})) {
    desired[name] ??= { value, version: LOWEST_VERSION };
  }
  const merged = dropSupersededWarehouses({ ...listing, versionKind: change.versionKind, desired });
  if (countWarehouses(merged) > MAX_WAREHOUSES) {
    return {
      result: 'refused',
      code: 'TOO_MANY_WAREHOUSES',
      message: `${change.target} would have stock of its own in more than ${MAX_WAREHOUSES} warehouses`,
    };
  }
  return { result: 'changed', listing: withWaiting(merged, now), stale };
}

/** No row of §4.8 names an `externalId`. */
function isPriceOfUnknown({ target }: Listing, { values }: ListingChange): boolean {
  return target.startsWith('externalId:') && registerEntries(values).some(([name]) => !isStockRegister(name));
}

function countWarehouses({ desired }: Listing): number {
  return registerEntries(desired).filter(([name]) => warehouseOf(name) !== undefined).length;
}

function emptyListing(change: ListingChange): Listing {
  const { storeClientId, target, versionKind } = change;
  return { storeClientId, target, versionKind, desired: {}, sent: {}, settled: {}, failures: 0 };
}

function compareWithDesired(desired: Registers, name: RegisterName, value: Register): number {
  const known = desired[name];
  if (known !== undefined) return compareRegisters(name, value, known);
  const global = desired.stock;
  const underGlobal = warehouseOf(name) !== undefined && global !== undefined;
  return underGlobal && value.version < global.version ? -1 : 1;
}

/** A newer global stock takes the place of every older warehouse's own; at equal versions the warehouse's stays. */
export function dropSupersededWarehouses(listing: Listing): Listing {
  const global = listing.desired.stock;
  if (global === undefined) return listing;
  const own = registerEntries(listing.desired).filter(
    ([name, register]) => warehouseOf(name) !== undefined && register.version < global.version,
  );
  const superseded = own.map(([name]) => name);
  if (superseded.length === 0) return listing;
  const stock = superseding(
    global,
    own.flatMap(([name, register]) => [register, lastAccepted(listing.settled[name]) ?? register]),
  );
  return {
    ...listing,
    desired: { ...without<DesiredRegister>(listing.desired, superseded), stock },
    sent: without<SentRegister>(listing.sent, superseded),
    settled: without<SettledRegister>(listing.settled, superseded),
  };
}

function without<V>(
  registers: Partial<Record<RegisterName, V>>,
  names: readonly RegisterName[],
): Partial<Record<RegisterName, V>> {
  return Object.fromEntries(registerEntries(registers).filter(([name]) => !names.includes(name)));
}

import {
  type DesiredRegister,
  type DesiredRegisters,
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
import { compareRegisters, lastAccepted, succeeding, superseding } from './registers.ts';
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
      readonly code: 'VERSION_KIND' | 'TOO_MANY_WAREHOUSES';
      readonly message: string;
    };

/** Older than any version that a partner gives. */
const LOWEST_VERSION = -1;

/**
 * Merges a change into a listing (or begins one); each register keeps its newest value. The first change decides the
 * listing's kind of version, unless its version is a command's time: then the first integer version takes over, and what
 * commands have set is older than it. `now` is epoch ms.
 */
export function mergeChange(current: Listing | undefined, change: ListingChange, now: number): Merge {
  const listing = kindDecided(current ?? emptyListing(change), change);
  if (listing.versionKind !== change.versionKind) {
    return { result: 'refused', code: 'VERSION_KIND', message: refusalOfKind(change) };
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
  const merged = dropSupersededWarehouses({ ...listing, desired });
  if (countWarehouses(merged) > MAX_WAREHOUSES) {
    return {
      result: 'refused',
      code: 'TOO_MANY_WAREHOUSES',
      message: `${change.target} would have stock of its own in more than ${MAX_WAREHOUSES} warehouses`,
    };
  }
  return { result: 'changed', listing: withWaiting(merged, now), stale };
}

function countWarehouses({ desired }: Listing): number {
  return registerEntries(desired).filter(([name]) => warehouseOf(name) !== undefined).length;
}

function emptyListing(change: ListingChange): Listing {
  const { storeClientId, target, versionKind } = change;
  return {
    storeClientId,
    target,
    versionKind,
    desired: {},
    sent: {},
    settled: {},
    failures: 0,
    isKindOpen: true,
  };
}

/** The listing as the change meets it: whose kind of version is open takes on that of a version that is no command's. */
function kindDecided(listing: Listing, { versionKind, isOfCommand = false }: ListingChange): Listing {
  if (listing.isKindOpen === undefined || isOfCommand) return listing;
  const { isKindOpen: _, ...decided } = listing;
  if (versionKind === listing.versionKind) return decided;
  const { desired, sent, settled } = decided;
  const lowered = { desired: lowest(desired), sent: lowest(sent), settled: lowest(settled) };
  return { ...decided, ...lowered, versionKind };
}

function lowest<V extends Register>(registers: Partial<Record<RegisterName, V>>) {
  return Object.fromEntries(
    registerEntries(registers).map(([name, register]) => [name, { ...register, version: LOWEST_VERSION }]),
  ) as Partial<Record<RegisterName, V>>;
}

function refusalOfKind({ target, versionKind, isOfCommand = false }: ListingChange): string {
  if (isOfCommand) return `${target} has integer versions: give the command a version`;
  return versionKind === 'integer'
    ? `${target} is versioned by times, and this change by an integer`
    : `${target} is versioned by integers, and this change by a time`;
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

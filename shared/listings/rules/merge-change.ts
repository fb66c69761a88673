import type { EpochMs } from '../../time/times.ts';
import {
  compareRegisters,
  type DesiredRegister,
  emptyListing,
  isReadAtMarketplace,
  isSameValue,
  isStockRegister,
  type Listing,
  type ListingChange,
  LOWEST_VERSION,
  lastAccepted,
  type Register,
  type RegisterName,
  registerEntries,
  registersWithout,
  warehouseOf,
  withExternalId,
} from '../model.ts';
import { MAX_WAREHOUSES } from './target.ts';
import { withWaiting } from './waiting.ts';

export type Merge =
  /** At least one register has a new value. `stale`: number of values of the change that were older than the listing's values. */
  | { readonly result: 'changed'; readonly listing: Listing; readonly stale: number }
  /** No register has a new value. `stale`: number of values of the change that were older than the listing's values. */
  | { readonly result: 'unchanged'; readonly stale: number }
  | {
      readonly result: 'rejected';
      readonly code: 'VERSION_KIND' | 'TOO_MANY_WAREHOUSES' | 'TARGET_RENAMED';
      readonly message: string;
    };

/** Version of the first value that was read at the marketplace. Each later read has the next version. */
const FIRST_READ = 2 * LOWEST_VERSION;

/**
 * Merges a change into a listing, or makes a listing of the change. Each register keeps its newest value. The partner's first change
 * sets the listing's kind of version. Times of commands leave the kind open. If the partner's first version is an integer, it is
 * newer than all times of commands, and these keep their order.
 */
export function mergeChange(current: Listing | undefined, change: ListingChange, now: EpochMs): Merge {
  const { renamed } = current ?? {};
  if (renamed !== undefined && isFromBefore(renamed, change)) {
    const message = `${change.target} was renamed to ${renamed.to} later: this value is of that product, and is not sent`;
    return { result: 'rejected', code: 'TARGET_RENAMED', message };
  }
  const listing = named(kindDecided(current ?? emptyListing(change), change), change);
  if (listing.versionKind !== change.versionKind) {
    return { result: 'rejected', code: 'VERSION_KIND', message: kindMessage(change) };
  }
  const { version } = change;
  const desired = { ...listing.desired };
  let changed = 0;
  let stale = 0;
  for (const [name, value] of registerEntries(change.values)) {
    const order = compareWithDesired(desired, name, { value, version });
    const given = change.negative?.[name];
    if (order > 0) {
      const next = succeeding(listing, name, { value, version });
      desired[name] = { ...next, ...(given !== undefined && { given }) };
      changed += 1;
    } else if (order < 0) stale += 1;
  }
  if (changed === 0) return { result: 'unchanged', stale };
  for (const [name, value] of registerEntries(change.base ?? {})) {
    const known = desired[name];
    if (known === undefined) desired[name] = { value, version: FIRST_READ };
    else if (isReadAtMarketplace(known)) desired[name] = { value, version: known.version + 1 };
  }
  const merged = withoutSuperseded({ ...listing, desired });
  const warehouses = registerEntries(merged.desired).filter(([name]) => warehouseOf(name) !== undefined);
  if (warehouses.length > MAX_WAREHOUSES) {
    const message = `${change.target} would have stock of its own in more than ${MAX_WAREHOUSES} warehouses`;
    return { result: 'rejected', code: 'TOO_MANY_WAREHOUSES', message };
  }
  return { result: 'changed', listing: withWaiting(merged, now), stale };
}

/** Changes of one target, merged in their order. */
export interface Merged {
  readonly before: Listing | undefined;
  /** `undefined` if no change has a new value. */
  readonly listing: Listing | undefined;
  /** The changes with a new value. */
  readonly changed: readonly ListingChange[];
  /** Number of values of the changes that were older than the listing's values. */
  readonly stale: number;
  readonly rejected: ReadonlyMap<ListingChange, { readonly code: string; readonly message: string }>;
}

/** Merges changes of one target. A rejected change does not stop the others. */
export function mergeChanges(
  before: Listing | undefined,
  changes: readonly ListingChange[],
  now: EpochMs,
): Merged {
  let listing = before;
  let stale = 0;
  const changed: ListingChange[] = [];
  const rejected = new Map<ListingChange, { code: string; message: string }>();
  for (const change of changes) {
    const merge = mergeChange(listing, change, now);
    if (merge.result === 'rejected') {
      rejected.set(change, { code: merge.code, message: merge.message });
      continue;
    }
    stale += merge.stale;
    if (merge.result !== 'changed') continue;
    listing = merge.listing;
    changed.push(change);
  }
  return { before, listing: changed.length > 0 ? listing : undefined, changed, stale, rejected };
}

/** Whether a change is from before the rename that gave the name away. */
function isFromBefore(
  renamed: NonNullable<Listing['renamed']>,
  { versionKind, version }: ListingChange,
): boolean {
  if (versionKind === 'time') return version <= renamed.time;
  return renamed.versionKind === 'integer' && version <= renamed.version;
}

/** The listing with the change's external ID. The external ID of a created product stays as created. */
function named(listing: Listing, { externalId }: ListingChange): Listing {
  return listing.createdAt === undefined ? withExternalId(listing, externalId) : listing;
}

/** Sets the listing's kind of version to the kind of the change, if it is open and the version is not the time of a command. */
function kindDecided(listing: Listing, { versionKind, isOfCommand = false }: ListingChange): Listing {
  if (listing.isKindOpen === undefined || isOfCommand) return listing;
  const { isKindOpen: _, ...decided } = listing;
  if (versionKind === listing.versionKind) return decided;
  const { desired, sent, settled } = decided;
  const lowered = { desired: lower(desired), sent: lower(sent), settled: lower(settled) };
  return { ...decided, ...lowered, versionKind };
}

function lower<V extends Register>(registers: Partial<Record<RegisterName, V>>) {
  return Object.fromEntries(
    registerEntries(registers).map(([name, register]) => [
      name,
      isReadAtMarketplace(register) ? register : { ...register, version: register.version + LOWEST_VERSION },
    ]),
  ) as Partial<Record<RegisterName, V>>;
}

function kindMessage({ target, versionKind, isOfCommand = false }: ListingChange): string {
  if (isOfCommand) return `${target} has integer versions: give the command a version`;
  return versionKind === 'integer'
    ? `${target} is versioned by times, and this change by an integer`
    : `${target} is versioned by integers, and this change by a time`;
}

function compareWithDesired(desired: Listing['desired'], name: RegisterName, value: Register): number {
  const known = desired[name];
  if (known !== undefined) return compareRegisters(name, value, known);
  const global = desired.stock;
  const underGlobal = warehouseOf(name) !== undefined && global !== undefined;
  return underGlobal && value.version < global.version ? -1 : 1;
}

/** Removes the stock of each warehouse that is older than the global stock. At equal versions the warehouse's stock stays. */
function withoutSuperseded(listing: Listing): Listing {
  const { desired, sent, settled } = listing;
  const global = desired.stock;
  if (global === undefined) return listing;
  const own = registerEntries(desired).filter(
    ([name, register]) => warehouseOf(name) !== undefined && register.version < global.version,
  );
  if (own.length === 0) return listing;
  // A warehouse may show its desired value or the accepted one. If none was accepted, it may show any value.
  const shown = own.flatMap(([name, register]) => [
    ...valuesOf(register),
    lastAccepted(settled[name])?.value ?? 0,
  ]);
  const stock = withLowest(global, [...valuesOf(global), ...shown]);
  const superseded = own.map(([name]) => name);
  return {
    ...listing,
    desired: { ...registersWithout(desired, superseded), stock },
    sent: registersWithout(sent, superseded),
    settled: registersWithout(settled, superseded),
  };
}

/** The new value of a register. A stock value gets `lowest`: the lowest earlier value that the marketplace may have applied. */
function succeeding(
  { desired, settled }: Listing,
  name: RegisterName,
  { value, version }: Register,
): DesiredRegister {
  const [before, known] = [desired[name], settled[name]];
  const isApplied = known?.outcome === 'accepted' && isSameValue(known, before);
  const register = { value, version };
  if (before === undefined || isApplied || !isStockRegister(name)) return register;
  return withLowest(register, valuesOf(before));
}

function valuesOf({ value, lowest }: DesiredRegister): number[] {
  return [value, lowest].filter((one) => typeof one === 'number');
}

/** Adds `lowest` only if it is lower than the value. */
function withLowest({ value, version }: Register, before: readonly number[]): DesiredRegister {
  const lowest = Math.min(...before);
  return value !== null && lowest < value ? { value, version, lowest } : { value, version };
}

import type { EpochMs } from '../../time/times.ts';
import {
  type DesiredRegister,
  emptyListing,
  type Listing,
  type ListingChange,
  lastAccepted,
  type RegisterName,
  registerEntries,
  registersWithout,
} from '../model.ts';
import { mergeChanges } from './merge-change.ts';
import { isDiscarded } from './row.ts';
import { withWaiting } from './waiting.ts';

/** A rename of a product by one of the connector's updates. */
export interface Rename {
  readonly storeClientId: string;
  /** The targets of both names. */
  readonly from: string;
  readonly to: string;
  /** When the update was given. */
  readonly time: EpochMs;
  /** The update's integer version, if given. */
  readonly version?: number | undefined;
}

/**
 * The values that the listing of the old name has for the renamed product, as changes of the new name. Values up to the rename are
 * of the renamed product; newer values are of the product that got the old name. Integer versions can't be compared with a time: if
 * the update has no version, all values are of the renamed product. A discarded value does not move, as it would be sent under the
 * new name; the value that was accepted before it moves instead.
 */
export function movedChanges(listing: Listing | undefined, rename: Rename): ListingChange[] {
  if (listing === undefined || isEndedBy(listing, rename)) return [];
  const { versionKind, isKindOpen, desired, settled } = listing;
  const last = lastVersionOf(listing, rename);
  const moved = registerEntries(desired).flatMap(([name, newest]): [RegisterName, DesiredRegister][] => {
    if (newest.version > last) return [];
    if (!isDiscarded(listing, name)) return [[name, newest]];
    const before = lastAccepted(settled[name]);
    return before === undefined ? [] : [[name, before]];
  });
  const byVersion = Map.groupBy(moved, ([, { version }]) => version);
  return [...byVersion].map(([version, registers]) => ({
    storeClientId: rename.storeClientId,
    target: rename.to,
    versionKind,
    version,
    isOfCommand: isKindOpen === true,
    values: Object.fromEntries(registers.map(([name, { value }]) => [name, value])),
    negative: Object.fromEntries(
      registers.flatMap(([name, { given }]) => (given === undefined ? [] : [[name, given]])),
    ),
  }));
}

/** The listing of the old name without the values of the renamed product. It rejects late changes from before the rename. */
export function endedByRename(
  current: Listing | undefined,
  rename: Rename,
  now: EpochMs,
): Listing | undefined {
  const { storeClientId, from: target, to } = rename;
  const listing = current ?? emptyListing({ storeClientId, target });
  if (isEndedBy(listing, rename)) return undefined;
  const { live: _, guardedPrices: __, createdAt: ___, ...rest } = listing;
  const version = lastVersionOf(listing, rename);
  const moved = registerEntries(listing.desired).flatMap(([name, register]): RegisterName[] =>
    register.version <= version ? [name] : [],
  );
  const discarded = moved.filter((name) => isDiscarded(listing, name));
  const next = {
    ...rest,
    desired: registersWithout(listing.desired, moved),
    sent: registersWithout(listing.sent, moved),
    settled: registersWithout(listing.settled, moved),
    renamed: {
      to,
      ...markOf(listing, rename),
      time: rename.time,
      ...(discarded.length > 0 && { discarded }),
    },
  };
  const isEmpty = Object.keys(next.desired).length === 0;
  return withWaiting(isEmpty ? { ...next, versionKind: 'time', isKindOpen: true } : next, now);
}

/** Whether a listing has nothing but its rename: no product is known to have this name now. */
export function isEnded({
  renamed,
  desired,
  createdAt,
}: Pick<Listing, 'renamed' | 'desired' | 'createdAt'>): boolean {
  return renamed !== undefined && createdAt === undefined && Object.keys(desired).length === 0;
}

/** Where the values of a renamed product went, in words. */
export function movedText({ to, discarded = [] }: NonNullable<Listing['renamed']>): string {
  const left = discarded.length === 0 ? '' : `, without what was discarded (${discarded.join(', ')})`;
  return `its values went to ${to}${left}`;
}

/** The listing of the new name with the moved values. */
export function withMoved(
  current: Listing | undefined,
  changes: readonly ListingChange[],
  now: EpochMs,
): {
  readonly listing: Listing | undefined;
  readonly rejected: readonly { code: string; message: string }[];
} {
  // This name may have been given away before. That earlier rename must not reject the values that now move to this name.
  const { renamed, ...rest } = current ?? {};
  const { listing, rejected } = mergeChanges(current && (rest as Listing), changes, now);
  return {
    listing: listing && renamed ? { ...listing, renamed } : listing,
    rejected: [...rejected.values()],
  };
}

function isEndedBy({ renamed }: Listing, { to, time }: Rename): boolean {
  return renamed !== undefined && (renamed.time > time || (renamed.time === time && renamed.to === to));
}

/** Later changes up to this version are of the renamed product. If the kind of version is still open, the update's integer sets it. */
function markOf(listing: Listing, rename: Rename) {
  if (listing.isKindOpen === true && rename.version !== undefined)
    return { versionKind: 'integer' as const, version: rename.version };
  return { versionKind: listing.versionKind, version: lastVersionOf(listing, rename) };
}

/** The version up to which values are of the renamed product. */
function lastVersionOf({ versionKind, desired }: Listing, { time, version }: Rename): number {
  if (versionKind === 'time') return time;
  return version ?? Math.max(0, ...registerEntries(desired).map(([, register]) => register.version));
}

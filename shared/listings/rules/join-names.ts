import { isDeepStrictEqual } from 'node:util';
import type { Listing } from '../model.ts';
import { aliasOf, byRank, mergeAliases, withAliases } from './merge-aliases.ts';

/** The names of one product, each with its listing as it was read. */
export type ProductNames = ReadonlyMap<string, Listing | undefined>;

/** How the names of one product become one listing. */
export interface NameJoin {
  /** Keeps the values of all. */
  readonly keeper: string;
  /** To point to the keeper in the end. */
  readonly others: readonly string[];
  /** Those of the others that do not yet. */
  readonly open: readonly string[];
  /** Those that can't be compared with the keeper, as their versions are of another kind; they stay by themselves. */
  readonly apart: readonly string[];
}

/** Names that a listing shows to be its product's too, and that may have values of their own. */
export function namesShownBy(listing: Listing | undefined): string[] {
  const { aliasOf: keeper, joining } = listing ?? {};
  return [...(keeper === undefined ? [] : [keeper]), ...(joining?.targets ?? [])];
}

/** All names that are affected while a listing's names are being joined; none when they are not. */
export function joiningNames({ target, joining }: Listing): readonly string[] {
  return joining === undefined ? [] : [target, ...joining.targets];
}

/** `undefined` where none of the names has a listing. */
export function planJoin(names: ProductNames): NameJoin | undefined {
  const [keeper, ...rest] = byRank(
    [...names.keys()].filter((name) => names.get(name)?.aliasOf === undefined),
  );
  if (keeper === undefined) return undefined;
  const kind = [keeper, ...rest].map((name) => names.get(name)).find(Boolean)?.versionKind;
  if (kind === undefined) return undefined;
  const apart = [...names.keys()].filter((name) => {
    const root = names.get(rootOf(names, name));
    return root !== undefined && root.versionKind !== kind;
  });
  const others = [...names.keys()].filter((name) => name !== keeper && !apart.includes(name));
  return { keeper, others, open: others.filter((name) => names.get(name)?.aliasOf !== keeper), apart };
}

/** The name to which a name leads over those that it points to. */
function rootOf(names: ProductNames, name: string): string {
  let root = name;
  for (let hop = 0; hop < names.size; hop += 1) root = names.get(root)?.aliasOf ?? root;
  return root;
}

/**
 * The keeper with the values of all the others, marked with those that have not let go of theirs yet: the one write that
 * makes it known that they are one. `undefined` where the keeper is not any more what the join was planned for.
 */
export function withJoined(
  current: Listing | undefined,
  names: ProductNames,
  { keeper, others, open }: NameJoin,
  now: number,
): Listing | undefined {
  const [first, ...more] = open
    .flatMap((name) => names.get(name) ?? [])
    .filter((one) => one.aliasOf === undefined);
  const base = current ?? (first && { ...first, target: keeper });
  if (base === undefined || base.aliasOf !== undefined) return undefined;
  const handing = [...(current !== undefined && first !== undefined ? [first] : []), ...more];
  if (handing.some(({ versionKind }) => versionKind !== base.versionKind)) return undefined;
  const merged = handing.reduce((kept, alias) => mergeAliases(kept, alias, now), base);
  const { targets = [], since = now } = current?.joining ?? {};
  const joining = { targets: [...new Set([...targets, ...open])], since };
  return { ...withAliases(merged, others), joining };
}

/** The alias that is left of a name whose values the keeper has; `undefined` where it has got others since. */
export function handedOn(
  current: Listing | undefined,
  seen: Listing | undefined,
  target: string,
  keeper: Listing,
): Listing | undefined {
  return hasHandedAllOn(current, seen) ? aliasOf(target, keeper) : undefined;
}

function hasHandedAllOn(current: Listing | undefined, seen: Listing | undefined): boolean {
  return (
    current?.aliasOf === seen?.aliasOf &&
    current?.notBefore === seen?.notBefore &&
    isDeepStrictEqual(current?.joining, seen?.joining) &&
    isDeepStrictEqual(current?.desired, seen?.desired) &&
    isDeepStrictEqual(current?.settled, seen?.settled)
  );
}

/**
 * The keeper without the mark of `done`, the names that have let go of their values, and of those that stay apart. What
 * comes of rows that were signed before `now` (epoch ms) does not count any more where values of several were merged.
 */
export function withoutJoining(
  { joining, ...listing }: Listing,
  { done, apart }: { done: readonly string[]; apart: readonly string[] },
  now: number,
): Listing {
  const targets = joining?.targets.filter((name) => !done.includes(name) && !apart.includes(name)) ?? [];
  const aliases = listing.aliases?.filter((name) => !apart.includes(name));
  return {
    ...listing,
    ...(listing.mergedAt === undefined ? {} : { mergedAt: Math.max(now - 1, listing.mergedAt) }),
    ...(aliases === undefined ? {} : { aliases }),
    ...(joining === undefined || targets.length === 0 ? {} : { joining: { ...joining, targets } }),
  };
}

import { isDeepStrictEqual } from 'node:util';
import type { Listing } from '../model.ts';
import type { ListingTable } from '../ports.ts';
import { aliasOf, byRank, mergeAliases, withAlias } from '../rules/merge-aliases.ts';
import { getListing } from './update-listing.ts';

export interface LearnAliasesPorts {
  readonly listings: Pick<ListingTable, 'get' | 'update'>;
  readonly clock: { now(): number };
}

/** How often a listing that is being written to is tried again. */
const MAX_TRIES = 10;

/**
 * Makes the names of one product one listing: the values of all of them are merged into the first by rank (sku, id,
 * externalId), and the others point to it. Every write is of a single item, and values are merged before their own
 * item lets go of them, so that a crash at any point loses nothing. Listings with different kinds of version can't be
 * compared and stay apart.
 */
export async function learnAliases(
  ports: LearnAliasesPorts,
  storeClientId: string,
  targets: readonly string[],
): Promise<void> {
  const found = await Promise.all(targets.map((target) => getListing(ports.listings, storeClientId, target)));
  const [keeper, ...others] = byRank([...targets, ...found.flatMap((listing) => listing?.target ?? [])]);
  if (keeper === undefined) return;
  for (const target of others) await link(ports, { storeClientId, keeper, target });
}

interface Link {
  readonly storeClientId: string;
  readonly keeper: string;
  readonly target: string;
}

async function link(ports: LearnAliasesPorts, names: Link): Promise<void> {
  const { listings } = ports;
  const { storeClientId, keeper, target } = names;
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const alias = await listings.get(storeClientId, target);
    if (alias?.aliasOf === keeper) return;
    const merged = await listings.update(storeClientId, keeper, (current) =>
      keeperWith(current, alias, names, ports.clock.now()),
    );
    if (!merged?.aliases?.includes(target)) return;
    const stored = await listings.update(storeClientId, target, (current) =>
      hasHandedAllOn(current, alias) ? aliasOf(target, merged) : undefined,
    );
    if (stored?.aliasOf === keeper) return;
  }
}

/** The keeper with the alias and its values; `undefined` where the two can't be one. */
function keeperWith(
  current: Listing | undefined,
  alias: Listing | undefined,
  { keeper, target }: Link,
  now: number,
): Listing | undefined {
  const hasValues = alias !== undefined && alias.aliasOf === undefined;
  if (current === undefined) return hasValues ? withAlias({ ...alias, target: keeper }, target) : undefined;
  if (!hasValues) return withAlias(current, target);
  if (current.versionKind !== alias.versionKind) return undefined;
  return withAlias(mergeAliases(current, alias, now), target);
}

function hasHandedAllOn(current: Listing | undefined, seen: Listing | undefined): boolean {
  return (
    current?.aliasOf === seen?.aliasOf &&
    current?.notBefore === seen?.notBefore &&
    isDeepStrictEqual(current?.desired, seen?.desired) &&
    isDeepStrictEqual(current?.settled, seen?.settled)
  );
}

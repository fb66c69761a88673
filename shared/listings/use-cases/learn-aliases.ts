import type { Listing } from '../model.ts';
import type { ListingTable } from '../ports.ts';
import {
  handedOn,
  joiningNames,
  type NameJoin,
  namesShownBy,
  type ProductNames,
  planJoin,
  withJoined,
  withoutJoining,
} from '../rules/join-names.ts';

export interface LearnAliasesPorts {
  readonly listings: Pick<ListingTable, 'get' | 'update'>;
  readonly clock: { now(): number };
}

/** How often a listing that is being written to is tried again. */
const MAX_TRIES = 10;

/**
 * Makes the names of one product one listing: the first by rank (sku, id, externalId) takes the values of all, and the
 * others point to it. Every write is of a single item. The first one makes it known that they are one, and marks the
 * keeper with the names that have yet to let go of their values: from then on nothing leaves under any of them, wherever
 * a crash comes, until the lane's holder has joined them (`finishJoin`). Listings with different kinds of version can't
 * be compared and stay apart.
 *
 * @returns the names as they are joined now; `undefined` where there is nothing to join, or others kept coming between
 */
export async function learnAliases(
  ports: LearnAliasesPorts,
  storeClientId: string,
  targets: readonly string[],
): Promise<NameJoin | undefined> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const names = await readNames(ports.listings, storeClientId, targets);
    const join = planJoin(names);
    if (join === undefined || join.open.length === 0) return join;
    await handOnAll(ports, storeClientId, names, join);
  }
  return undefined;
}

/**
 * Joins the names with which a listing is marked, and lifts the mark. Only for the holder of the lane, and not while any
 * of the names is on its way: what was chosen to leave before they were joined must find the mark.
 */
export async function finishJoin(ports: LearnAliasesPorts, marked: Listing): Promise<void> {
  const { storeClientId, target } = marked;
  const join = await learnAliases(ports, storeClientId, joiningNames(marked));
  if (join === undefined) return;
  const { targets = [] } = marked.joining ?? {};
  const done = targets.filter((name) => join.others.includes(name));
  await ports.listings.update(storeClientId, target, (current) =>
    current?.joining === undefined
      ? undefined
      : withoutJoining(current, { done, apart: join.apart }, ports.clock.now()),
  );
}

/** The targets with their listings, with those that they point to, and those that are being joined with them. */
async function readNames(
  listings: LearnAliasesPorts['listings'],
  storeClientId: string,
  targets: readonly string[],
): Promise<ProductNames> {
  const names = new Map<string, Listing | undefined>();
  let unread = [...new Set(targets)];
  while (unread.length > 0) {
    const found = await Promise.all(unread.map((target) => listings.get(storeClientId, target)));
    for (const [index, target] of unread.entries()) names.set(target, found[index]);
    unread = [...new Set(found.flatMap(namesShownBy))].filter((target) => !names.has(target));
  }
  return names;
}

/** The keeper takes the values first, and the others let go of theirs then: a crash at any point loses nothing. */
async function handOnAll(
  { listings, clock }: LearnAliasesPorts,
  storeClientId: string,
  names: ProductNames,
  join: NameJoin,
): Promise<void> {
  let keeper = undefined as Listing | undefined;
  const takeAll = (current: Listing | undefined) => {
    keeper = withJoined(current, names, join, clock.now());
    return keeper;
  };
  await listings.update(storeClientId, join.keeper, takeAll, names.get(join.keeper) ?? 'none');
  if (keeper === undefined) return;
  const joined = keeper;
  await Promise.all(
    join.open.map((target) => {
      const seen = names.get(target);
      return listings.update(
        storeClientId,
        target,
        (current) => handedOn(current, seen, target, joined),
        seen ?? 'none',
      );
    }),
  );
}

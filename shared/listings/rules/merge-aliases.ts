import {
  type DesiredRegisters,
  isStockRegister,
  type Listing,
  type Registers,
  registerEntries,
} from '../model.ts';
import { newestLive } from './live.ts';
import { dropSupersededWarehouses } from './merge-change.ts';
import { lastAccepted } from './raise.ts';
import { compareRegisters } from './register-order.ts';
import { DISCARDED } from './settle-row.ts';
import { backedOff, withWaiting } from './waiting.ts';

/** From the name that the others give way to: a price row can name a sku or an id, a variant only a sku. */
const ranks = ['sku:', 'id:', 'externalId:'];

/**
 * The names of one product in the order in which they give way to each other; the first one keeps the values. It is the
 * same in whatever order they come: of two who join them at once, both must choose the same keeper.
 */
export function byRank(targets: readonly string[]): string[] {
  const rankOf = (target: string) => ranks.findIndex((rank) => target.startsWith(rank));
  return [...new Set(targets)].sort((a, b) => rankOf(a) - rankOf(b) || (a < b ? -1 : 1));
}

/** A listing that only points to the one that keeps its values. */
export function aliasOf(target: string, keeper: Listing): Listing {
  const { storeClientId, versionKind } = keeper;
  const nothing = { desired: {}, sent: {}, settled: {}, failures: 0 };
  return { storeClientId, target, versionKind, ...nothing, aliasOf: keeper.target };
}

/** The keeper with more names. */
export function withAliases(keeper: Listing, targets: readonly string[]): Listing {
  return { ...keeper, aliases: [...new Set([...(keeper.aliases ?? []), ...targets])].sort() };
}

/**
 * Merges the values of `alias` into the listing that keeps them, each register its newest. Stock that both have waits
 * again, and so do prices that both have, and everything where one outcome is unknown: which of two rows of the same
 * product landed last can't be told.
 */
export function mergeAliases(keeper: Listing, alias: Listing, now: number): Listing {
  const desired: DesiredRegisters = { ...keeper.desired };
  for (const [name, register] of registerEntries(alias.desired)) {
    const known = desired[name];
    if (known === undefined || compareRegisters(name, register, known) > 0) desired[name] = register;
  }
  const notBefore = Math.max(keeper.notBefore ?? 0, alias.notBefore ?? 0);
  const isFenced = notBefore > now;
  const isDisputed = (isStock: boolean) => isFenced || (has(keeper, isStock) && has(alias, isStock));
  const settled = Object.fromEntries([
    ...registerEntries({ ...alias.settled, ...keeper.settled }).filter(
      ([name]) => !isDisputed(isStockRegister(name)),
    ),
    ...registerEntries(discardedOf(alias, keeper, desired)),
    ...registerEntries(discardedOf(keeper, alias, desired)),
  ]);
  const merged: Listing = {
    ...keeper,
    desired,
    settled,
    sent: { ...alias.sent, ...keeper.sent },
    live: newestLive([keeper, alias]),
    aliases: [...(keeper.aliases ?? []), ...(alias.aliases ?? [])],
    mergedAt: now,
    ...(isFenced ? { notBefore } : {}),
  };
  const since = [keeper.waitingSince, alias.waitingSince].filter((one) => one !== undefined);
  if (since.length > 0) merged.waitingSince = Math.min(...since);
  const { backoffUntil } = alias;
  const delayed = backoffUntil === undefined ? merged : backedOff(merged, backoffUntil);
  return withWaiting(dropSupersededWarehouses(delayed), now);
}

/** Whether the listing has stock, or prices. */
function has({ desired }: Listing, isStock: boolean): boolean {
  return registerEntries(desired).some(([name]) => isStockRegister(name) === isStock);
}

/** What an operator dropped of the newest values stays dropped; what stands in its place is the newest of both names. */
function discardedOf({ settled }: Listing, other: Listing, desired: Registers): Listing['settled'] {
  const dropped = registerEntries(settled).filter(
    ([name, { code, version, value }]) =>
      code === DISCARDED && desired[name]?.version === version && desired[name]?.value === value,
  );
  return Object.fromEntries(
    dropped.map(([name, register]) => {
      const [own, others] = [register.acceptedBefore, lastAccepted(other.settled[name])];
      const isOlder = own === undefined || (others !== undefined && compareRegisters(name, others, own) > 0);
      const { value, version, at } = (isOlder ? others : own) ?? {};
      const isKnown = value !== undefined && version !== undefined && at !== undefined;
      return [name, isKnown ? { ...register, acceptedBefore: { value, version, at } } : register];
    }),
  );
}

import { nameOfTarget } from '../../listings/rules/target.ts';
import type { StoreNames } from '../../stores/model.ts';
import { listingNamesOf } from '../../stores/rules/names.ts';
import type { EpochMs, IsoTime } from '../../time/times.ts';
import type { Cycle, Drift, EndedCycle, ShownPage, Verification } from '../model.ts';

/** A cycle before its first page. `now` is ISO 8601. */
export function newCycle(now: IsoTime): Cycle {
  return { startedAt: now, phase: 'listed', page: 1, pages: 0, verified: 0 };
}

/** Whether the store has pages to read at `now` (epoch ms): a cycle is in progress, or the next one is due. */
export function isDue({ cycle, last }: Verification, now: EpochMs, cycleMs: number): boolean {
  return cycle !== undefined || last === undefined || Date.parse(last.startedAt) + cycleMs <= now;
}

/** The cycle after a page. `verified`: listings that were compared. */
export function afterPage(
  cycle: Cycle,
  { hasNext, verified }: { readonly hasNext: boolean; readonly verified: number },
): Cycle {
  const read = { ...cycle, pages: cycle.pages + 1, verified: cycle.verified + verified };
  if (hasNext) return { ...read, page: cycle.page + 1 };
  return { ...read, page: 1, phase: cycle.phase === 'listed' ? 'archived' : 'closing' };
}

/** The result of a cycle. `now` is ISO 8601; `targets` are the targets of all listings that the store has at the end of the cycle. */
export function endedCycle(
  { startedAt, pages: count }: Cycle,
  now: IsoTime,
  {
    pages,
    drifts,
    targets,
  }: { pages: readonly ShownPage[]; drifts: Iterable<Drift>; targets: readonly string[] },
): EndedCycle {
  const found = [...drifts];
  const seen = seenTargets(pages, startedAt);
  return {
    startedAt,
    endedAt: now,
    pages: count,
    listings: targets.length,
    verified: targets.filter((target) => seen.has(target)).length,
    drifted: found.filter(hasOpenDrift).length,
    missingProducts: found.filter(({ missingSince }) => missingSince !== undefined).length,
    unknownProducts: new Set(pages.flatMap(({ unknown }) => unknown.map(({ id }) => id))).size,
  };
}

/** Whether the target has a kind of name that the store uses now. Listings with a former kind are about to be deleted. */
export function isListedBy({ products }: StoreNames, target: string): boolean {
  const names: readonly string[] = listingNamesOf(products);
  return names.includes(nameOfTarget(target));
}

export function seenTargets(pages: readonly ShownPage[], cycle: string): Set<string> {
  return new Set(pages.flatMap((page) => (page.cycle === cycle ? page.targets : [])));
}

function hasOpenDrift({ registers }: Drift): boolean {
  return Object.values(registers).some((register) => register?.open !== undefined);
}

/**
 * Percent of the store's listings that were verified within the last `hours`, by the last whole cycle or by the present one.
 * `undefined` before the end of a first cycle with listings. `now` is epoch ms.
 */
export function verifiedPercent(
  { cycle, last }: Verification,
  hours: number,
  now: EpochMs,
): number | undefined {
  // The store had no listing at the end of the last cycle. Those that it has now may be newer.
  if (last === undefined || last.listings === 0) return undefined;
  const isRecent = ({ startedAt }: { startedAt: IsoTime }) =>
    Date.parse(startedAt) >= now - hours * 3_600_000;
  const verified = isRecent(last)
    ? last.verified
    : cycle !== undefined && isRecent(cycle)
      ? cycle.verified
      : 0;
  return Math.min(100, Math.round((1000 * verified) / last.listings) / 10);
}

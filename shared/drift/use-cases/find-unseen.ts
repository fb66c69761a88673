import { chunk } from '../../collections/packer.ts';
import { nameOfTarget } from '../../listings/rules/target.ts';
import type { Store } from '../../stores/model.ts';
import { listingNamesOf } from '../../stores/rules/names.ts';
import type { Cycle, Drift, ShownPage } from '../model.ts';
import type { ReadTime } from '../rules/compare.ts';
import { seenTargets } from '../rules/cycle.ts';
import { shouldBeLive } from '../rules/judge.ts';
import type { VerifierPorts } from './verifier.ts';

/** What the end of a cycle needs: read once in a run. */
export interface Ending {
  /** What the cycle has read. */
  readonly pages: readonly ShownPage[];
  /** Pages of earlier cycles. */
  readonly formerPages: readonly ShownPage[];
  /** Of all listings by the store's names. */
  readonly targets: readonly string[];
  /** Targets whose products were on no page and should have been, in order. */
  readonly unseen: readonly string[];
}

/** Listings read at a time. */
const LISTINGS_PER_READ = 100;

/** Reads what a cycle has shown, and finds the listings whose products it should have shown and has not. */
export async function findUnseen(
  { drift, listings }: Pick<VerifierPorts, 'drift' | 'listings'>,
  { storeClientId, names }: Pick<Store, 'storeClientId' | 'names'>,
  {
    cycle: { startedAt },
    drifts,
    time,
  }: {
    readonly cycle: Cycle;
    readonly drifts: ReadonlyMap<string, Drift>;
    readonly time: ReadTime;
  },
): Promise<Ending> {
  const all = await drift.pagesOf(storeClientId);
  const ownNames: readonly string[] = listingNamesOf(names.products);
  // Listings by a former name are about to be deleted.
  const targets = (await listings.targets(storeClientId)).filter((target) =>
    ownNames.includes(nameOfTarget(target)),
  );
  const seen = seenTargets(all, startedAt);
  // A product that is known to be missing is only looked for on the pages.
  const isOpen = (target: string) => drifts.get(target)?.missingSince === undefined;
  const candidates = targets.filter((target) => !seen.has(target) && isOpen(target)).sort();
  const unseen: string[] = [];
  for (const some of chunk(candidates, LISTINGS_PER_READ)) {
    const known = await listings.getMany(storeClientId, some, { mayBeStale: true });
    const live = [...known.values()].filter((listing) => shouldBeLive(listing, time));
    unseen.push(...live.map(({ target }) => target).sort());
  }
  const pages = all.filter(({ cycle }) => cycle === startedAt);
  const formerPages = all.filter(({ cycle }) => cycle < startedAt);
  return { pages, formerPages, targets, unseen };
}

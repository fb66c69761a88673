import { AT_A_TIME, forEachConcurrently } from '../../collections/for-each-concurrently.ts';
import { chunk } from '../../collections/packer.ts';
import type { Listing, Live } from '../../listings/model.ts';
import { withLive } from '../../listings/use-cases/recording-reads.ts';
import type { Store } from '../../stores/model.ts';
import type { IsoTime } from '../../time/times.ts';
import type { Cycle, Drift, EndedCycle } from '../model.ts';
import { endedCycle, isListedBy, seenTargets } from '../rules/cycle.ts';
import { notShownDrift, shouldBeLive } from '../rules/judge.ts';
import { recordDrift } from './record-look.ts';
import type { VerifierWork } from './verifier.ts';

/** The clock is read after this many listings. */
const LISTINGS_PER_STEP = 100;

/**
 * Records the listings whose products the cycle should have shown but did not. Removes what is left of earlier cycles and of deleted
 * listings.
 *
 * @param drifts the store's records; updated here
 * @returns the result of the cycle; `undefined` if the time of the run is over: the next run does the rest
 */
export async function closeCycle(
  work: VerifierWork,
  { storeClientId, names }: Pick<Store, 'storeClientId' | 'names'>,
  cycle: Cycle,
  drifts: Map<string, Drift>,
): Promise<EndedCycle | undefined> {
  const { ports, settings, stopAt } = work;
  const { drift, listings, clock } = ports;
  const { startedAt } = cycle;
  const pages = await drift.pagesOf(storeClientId);
  const targets = (await listings.targets(storeClientId)).filter((target) => isListedBy(names, target));
  const seen = seenTargets(pages, startedAt);
  const isRecorded = ({ missingSince, notShownSince }: Drift) =>
    missingSince !== undefined || notShownSince === startedAt;
  const notShown = targets.filter((target) => {
    const known = drifts.get(target);
    return !seen.has(target) && !(known !== undefined && isRecorded(known));
  });
  const time = { readAt: Date.parse(startedAt), graceMs: settings.graceMs };
  for (const some of chunk(notShown, LISTINGS_PER_STEP)) {
    if (clock.now() > stopAt) return undefined;
    const known = [...(await listings.getMany(storeClientId, some)).values()];
    const wanted = known.filter((listing) => shouldBeLive(listing, time));
    await forEachConcurrently(wanted, AT_A_TIME, (listing) =>
      recordNotShown(work, listing, startedAt, drifts),
    );
  }
  const listed = new Set(targets);
  const left = [...drifts.keys()].filter((target) => !listed.has(target));
  for (const some of chunk(left, LISTINGS_PER_STEP)) {
    if (clock.now() > stopAt) return undefined;
    await forEachConcurrently(some, AT_A_TIME, async (target) => {
      await recordDrift(ports, drifts, { storeClientId, target }, undefined);
    });
  }
  await drift.removePages(
    storeClientId,
    pages.filter((page) => page.cycle < startedAt),
  );
  return endedCycle(cycle, new Date(clock.now()).toISOString(), { pages, drifts: drifts.values(), targets });
}

/** Publishes that the product of a listing is missing once a second cycle has not shown it. */
async function recordNotShown(
  { ports, counts }: VerifierWork,
  listing: Listing,
  startedAt: IsoTime,
  drifts: Map<string, Drift>,
): Promise<void> {
  const { storeClientId, target } = listing;
  const now = new Date(ports.clock.now()).toISOString();
  const next = notShownDrift(listing, drifts.get(target), { startedAt, now });
  if (next.missingSince !== undefined) {
    const detail = { storeClientId, target, since: next.missingSince };
    await ports.events.publish([{ detailType: 'listing.missing', detail }]);
    counts.missing += 1;
  }
  await recordDrift(ports, drifts, listing, next);
  if (next.missingSince === undefined || listing.live?.missing) return;
  const live: Live = { at: now, values: {}, missing: true };
  await ports.listings.update(
    storeClientId,
    target,
    (current) => current && withLive(current, live),
    listing,
  );
}

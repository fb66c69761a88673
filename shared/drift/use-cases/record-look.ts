import { isDeepStrictEqual } from 'node:util';
import { AT_A_TIME, forEachConcurrently } from '../../collections/for-each-concurrently.ts';
import type { OutgoingEvent } from '../../events/outgoing.ts';
import type { Listing, Live } from '../../listings/model.ts';
import { waitAgain } from '../../listings/rules/waiting.ts';
import { withLive } from '../../listings/use-cases/recording-reads.ts';
import type { EpochMs } from '../../time/times.ts';
import type { Drift } from '../model.ts';
import { differencesOf, type ReadTime } from '../rules/compare.ts';
import { judge, outcomes, type Verdict } from '../rules/judge.ts';
import type { VerifierPorts, VerifierWork } from './verifier.ts';

/** The products that one read showed, and how they are judged. */
export interface SeenProducts {
  readonly storeClientId: string;
  /** By target. */
  readonly shown: ReadonlyMap<string, Live>;
  readonly time: ReadTime;
  readonly cycleBeganAt: EpochMs;
  readonly repairs: boolean;
}

interface Judged {
  readonly listing: Listing;
  readonly live: Live;
  readonly verdict: Verdict;
}

/**
 * Compares the listings of products with the values that a read showed. Publishes the findings, records them in `drifts`, and marks the
 * registers to repair as waiting. The events come first, so that no event is lost if a later step fails; the next read then repeats them.
 * The listings are first read eventually consistent, for half the cost. Listings that differ are read again, strongly consistent.
 *
 * @param drifts the store's records; updated here
 * @returns the targets that have a listing
 */
export async function recordLook(
  { ports, counts }: VerifierWork,
  { storeClientId, shown, time, cycleBeganAt, repairs }: SeenProducts,
  drifts: Map<string, Drift>,
): Promise<string[]> {
  const judgeAll = (listings: ReadonlyMap<string, Listing>) =>
    [...listings.values()].flatMap((listing): Judged[] => {
      const live = shown.get(listing.target);
      if (live === undefined) return [];
      const look = { ...time, shown: live.values, cycleBeganAt, repairs };
      return [{ listing, live, verdict: judge(listing, drifts.get(listing.target), look) }];
    });
  const isNew = ({ listing, live, verdict }: Judged) =>
    isNews(listing, live) || !isDeepStrictEqual(drifts.get(listing.target), verdict.drift);
  const listed = await ports.listings.getMany(storeClientId, [...shown.keys()], { mayBeStale: true });
  const changing = judgeAll(listed).filter(isNew);
  const judged = judgeAll(
    await ports.listings.getMany(
      storeClientId,
      changing.map(({ listing }) => listing.target),
    ),
  );
  const events = judged.flatMap(eventsOf);
  if (events.length > 0) await ports.events.publish(events);
  let isWaiting = false;
  await forEachConcurrently(judged, AT_A_TIME, async (one) => {
    const isOurs = await recordDrift(ports, drifts, one.listing, one.verdict.drift);
    const rearm = isOurs ? one.verdict.rearm : [];
    isWaiting = (await recordInListing(ports, { ...one, rearm }, time)) || isWaiting;
  });
  if (isWaiting) await ports.tickets.send([{ storeClientId }]);
  counts.verified += listed.size;
  for (const { verdict } of judged) {
    for (const outcome of outcomes) counts[outcome] += verdict[outcome].length;
  }
  return [...listed.keys()];
}

/**
 * Writes the record of a listing, or removes it if `next` is `undefined`.
 *
 * @param drifts the store's records; updated here
 * @returns `false` if another process has changed the record since it was read
 */
export async function recordDrift(
  { drift }: Pick<VerifierPorts, 'drift'>,
  drifts: Map<string, Drift>,
  { storeClientId, target }: Pick<Listing, 'storeClientId' | 'target'>,
  next: Drift | undefined,
): Promise<boolean> {
  const before = drifts.get(target);
  if (isDeepStrictEqual(before, next)) return true;
  if (next === undefined) {
    const isRemoved = before === undefined || (await drift.remove(before));
    if (isRemoved) drifts.delete(target);
    return isRemoved;
  }
  let isOurs = true;
  await drift.update(storeClientId, target, (current) => {
    isOurs = isDeepStrictEqual(current, before);
    const kept = isOurs ? next : current;
    if (kept === undefined) drifts.delete(target);
    else drifts.set(target, kept);
    return isOurs ? next : undefined;
  });
  return isOurs;
}

/**
 * Writes the seen values into a listing, if they are new, and marks its registers to repair as waiting. Judges the newest listing again,
 * so that a change that came meanwhile stays.
 *
 * @returns whether a value waits
 */
async function recordInListing(
  { listings, clock }: Pick<VerifierPorts, 'listings' | 'clock'>,
  { listing, live, rearm }: Pick<Judged, 'listing' | 'live'> & Pick<Verdict, 'rearm'>,
  time: ReadTime,
): Promise<boolean> {
  if (rearm.length === 0 && !isNews(listing, live)) return false;
  let hasRearmed = false;
  await listings.update(
    listing.storeClientId,
    listing.target,
    (current) => {
      if (current === undefined) return undefined;
      const seen = isNews(current, live) ? withLive(current, live) : undefined;
      const names = differencesOf(current, live.values, time)
        .map(({ register }) => register)
        .filter((name) => rearm.includes(name));
      hasRearmed = names.length > 0;
      return hasRearmed ? waitAgain(seen ?? current, names, clock.now()) : seen;
    },
    listing,
  );
  return hasRearmed;
}

/** Whether the seen values differ from those of the last read. */
function isNews({ live: before }: Listing, { at, ...seen }: Live): boolean {
  return !isDeepStrictEqual(before, { at: before?.at, ...seen });
}

function eventsOf({ listing: { storeClientId, target }, verdict }: Judged): OutgoingEvent[] {
  return outcomes.flatMap((outcome): OutgoingEvent[] => {
    const registers = [...verdict[outcome]];
    if (registers.length === 0) return [];
    return [{ detailType: `listing.${outcome}`, detail: { storeClientId, target, registers } }];
  });
}

import { AT_A_TIME, forEachConcurrently } from '../../collections/for-each-concurrently.ts';
import { chunk } from '../../collections/packer.ts';
import { eachPage } from '../../collections/page-request.ts';
import { isolateFailure, type OnFailure } from '../../errors/isolate-failure.ts';
import { priorityOf, timeOf } from '../../listings/pages/page-places.ts';
import { priorities } from '../../listings/rules/waiting.ts';
import type { WaitingPage, WaitingPageTable } from '../../listings/waiting-pages.ts';
import type { Clock } from '../../time/clock.ts';
import type { EpochMs } from '../../time/times.ts';
import type { Lane } from '../model.ts';
import type { LaneTable, TicketQueue } from '../ports.ts';
import { sendingPriorities } from './pick-request.ts';

export interface WakeLanesPorts {
  readonly pages: Pick<WaitingPageTable, 'list'>;
  readonly lanes: Pick<LaneTable, 'getMany'>;
  readonly tickets: TicketQueue;
  readonly clock: Pick<Clock, 'now'>;
}

/** A lane with waiting work. */
export interface LaneSeen {
  readonly storeClientId: string;
  /** Age of the oldest waiting change. */
  readonly oldestChangeAgeMs: number;
  /** Age of the oldest waiting change that does not wait for a person; 0 if there is none. */
  readonly oldestFreeChangeAgeMs: number;
  readonly woken: boolean;
  readonly waitsFor: Lane['waitsFor'];
}

/** Lanes per group. The lanes of a group are read together, and their tickets are sent together. */
const LANES_PER_GROUP = 100;

/**
 * Sends a ticket for each lane that has due work and no valid lease, so that a lost ticket does no harm. Reads only the lanes of
 * stores with waiting work. Stopped lanes are woken too: the rate limiter lets one of them try.
 *
 * @param onFailure called for each group of lanes that could not be read or woken; other lanes are still processed
 * @returns the lanes with waiting work; a lane may be listed twice if two reads of the table found its pages
 */
export async function wakeLanes(
  ports: WakeLanesPorts,
  { onFailure }: { readonly onFailure: OnFailure },
): Promise<LaneSeen[]> {
  const seen: LaneSeen[] = [];
  for await (const page of eachPage((request) => ports.pages.list(request))) {
    const byStore = Map.groupBy(page.pages, ({ storeClientId }) => storeClientId);
    await forEachConcurrently(chunk([...byStore], LANES_PER_GROUP), AT_A_TIME, async (some) => {
      await isolateFailure(onFailure, async () => {
        for (const lane of await wakeSome(ports, some)) seen.push(lane);
      });
    });
  }
  return seen;
}

type PagesOfStore = readonly [storeClientId: string, pages: readonly WaitingPage[]];

async function wakeSome({ lanes, tickets, clock }: WakeLanesPorts, stores: readonly PagesOfStore[]) {
  const known = await lanes.getMany(stores.map(([storeClientId]) => storeClientId));
  const now = clock.now();
  const seen = stores.map(([storeClientId, pages]) =>
    look(storeClientId, pages, known.get(storeClientId), now),
  );
  const woken = seen.filter((lane) => lane.woken).map(({ storeClientId }) => ({ storeClientId }));
  if (woken.length > 0) await tickets.send(woken);
  return seen;
}

function look(
  storeClientId: string,
  pages: readonly WaitingPage[],
  { waitsFor, leaseUntil = 0 }: Partial<Lane> = {},
  now: EpochMs,
): LaneSeen {
  const ageAmong = (among: readonly number[]) => {
    const times = pages.filter(({ page }) => among.includes(priorityOf(page))).map(({ since }) => since);
    return times.length === 0 ? 0 : Math.max(0, now - Math.min(...times));
  };
  const free = waitsFor === 'release' ? sendingPriorities(true) : Object.values(priorities);
  const isDue = pages.some(({ page }) => timeOf(page) <= now);
  return {
    storeClientId,
    oldestChangeAgeMs: ageAmong(Object.values(priorities)),
    oldestFreeChangeAgeMs: waitsFor === 'connection' ? 0 : ageAmong(free),
    woken: isDue && leaseUntil <= now,
    waitsFor,
  };
}

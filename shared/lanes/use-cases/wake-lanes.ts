import { forEachConcurrently } from '../../collections/for-each-concurrently.ts';
import { isolateFailure, type OnFailure } from '../../errors/isolate-failure.ts';
import type { ListingTable } from '../../listings/ports.ts';
import type { Clock } from '../../time/clock.ts';
import type { Lane } from '../model.ts';
import type { LaneTable, TicketQueue } from '../ports.ts';
import { leavingPriorities } from './pick-request.ts';

export interface WakeLanesPorts {
  readonly lanes: LaneTable;
  readonly listings: Pick<ListingTable, 'nextDue' | 'waitingSince'>;
  readonly tickets: TicketQueue;
  readonly clock: Pick<Clock, 'now'>;
}

/** One lane as the waker found it. */
export interface LaneSeen {
  readonly storeClientId: string;
  /** Age of the oldest waiting change, in milliseconds; 0 when none waits. */
  readonly oldestChangeAgeMs: number;
  /** Age of the oldest waiting change that is not blocked on a person, in milliseconds; 0 when none waits. */
  readonly oldestFreeChangeAgeMs: number;
  readonly woken: boolean;
  readonly waitsFor: Lane['waitsFor'];
}

/** Lanes that are read at the same time. */
const CONCURRENCY = 10;

/**
 * Sends a ticket for each lane that has due work and no unexpired lease. This makes lost tickets harmless. While lanes
 * are stopped they are woken all the same; the limit lets one of them try.
 *
 * @param onFailure is called for each lane that could not be read; other lanes are still processed.
 */
export async function wakeLanes(
  ports: WakeLanesPorts,
  { onFailure }: { readonly onFailure: OnFailure },
): Promise<LaneSeen[]> {
  const seen: LaneSeen[] = [];
  let cursor: string | undefined;
  do {
    const page = await ports.lanes.list(cursor ? { cursor } : {});
    const lanes: LaneSeen[] = [];
    await forEachConcurrently(page.lanes, CONCURRENCY, async (lane) => {
      const found = await isolateFailure(onFailure, () => look(ports, lane));
      if (found !== undefined) lanes.push(found);
    });
    const tickets = lanes.filter(({ woken }) => woken).map(({ storeClientId }) => ({ storeClientId }));
    if (tickets.length > 0) await ports.tickets.send(tickets);
    seen.push(...lanes);
    cursor = page.cursor;
  } while (cursor !== undefined);
  return seen;
}

async function look({ clock, listings }: WakeLanesPorts, lane: Lane): Promise<LaneSeen> {
  const due = await listings.nextDue(lane.storeClientId);
  const { storeClientId, waitsFor } = lane;
  const since = due === undefined ? undefined : await listings.waitingSince(storeClientId);
  const freeSince =
    waitsFor === 'release' && since !== undefined
      ? await listings.waitingSince(storeClientId, leavingPriorities(true))
      : since;
  const now = clock.now();
  const ageOf = (time = now) => Math.max(0, now - time);
  const isHeld = lane.leaseUntil !== undefined && lane.leaseUntil > now;
  const isDue = due !== undefined && due <= now;
  return {
    storeClientId,
    oldestChangeAgeMs: ageOf(since),
    oldestFreeChangeAgeMs: waitsFor === 'connection' ? 0 : ageOf(freeSince),
    woken: isDue && !isHeld,
    waitsFor,
  };
}

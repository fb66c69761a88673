import type { ListingTable } from '../../listings/ports.ts';
import type { Clock } from '../../time/clock.ts';
import type { Lane } from '../model.ts';
import type { LaneTable, TicketQueue } from '../ports.ts';

export interface WakeLanesPorts {
  readonly lanes: LaneTable;
  readonly listings: Pick<ListingTable, 'nextDue'>;
  readonly tickets: TicketQueue;
  readonly clock: Clock;
}

/**
 * Sends a ticket for each lane that has work due and no living lease: what makes lost tickets harmless. Returns how
 * many lanes were looked at and woken.
 */
export async function wakeLanes(ports: WakeLanesPorts): Promise<{ lanes: number; woken: number }> {
  let cursor: string | undefined;
  let lanes = 0;
  let woken = 0;
  do {
    const page = await ports.lanes.list(cursor === undefined ? {} : { cursor });
    const due = await Promise.all(page.lanes.map((lane) => isDue(ports, lane)));
    const tickets = page.lanes
      .filter((_, index) => due[index])
      .map(({ storeClientId }) => ({ storeClientId }));
    if (tickets.length > 0) await ports.tickets.send(tickets);
    lanes += page.lanes.length;
    woken += tickets.length;
    cursor = page.cursor;
  } while (cursor !== undefined);
  return { lanes, woken };
}

async function isDue({ clock, listings }: WakeLanesPorts, lane: Lane): Promise<boolean> {
  const now = clock.now();
  if (lane.leaseUntil !== undefined && lane.leaseUntil > now) return false;
  const due = await listings.nextDue(lane.storeClientId);
  return due !== undefined && due <= now;
}

import type { ListingTable } from '../../listings/ports.ts';
import type { Clock } from '../../time/clock.ts';
import type { LaneTable, TicketQueue } from '../ports.ts';

export interface WhileIdlePorts {
  readonly lanes: Pick<LaneTable, 'acquire' | 'release'>;
  readonly listings: Pick<ListingTable, 'nextDue'>;
  readonly tickets: TicketQueue;
  readonly clock: Pick<Clock, 'now'>;
  readonly newId: () => string;
}

/** Longest lease, in milliseconds. */
const HELD_FOR_MS = 30_000;

/** Whether any price or stock of a store waits, or is in a request without an outcome. */
export async function isLaneWaiting(
  { listings }: Pick<WhileIdlePorts, 'listings'>,
  storeClientId: string,
): Promise<boolean> {
  return (await listings.nextDue(storeClientId)) !== undefined;
}

/** Does `work` while it has the lease of a store's lane, so that the lane sends nothing. `undefined` if another has the lease. */
export async function whileIdle<Result>(
  { lanes, tickets, clock, newId }: WhileIdlePorts,
  storeClientId: string,
  work: () => Promise<Result>,
): Promise<Result | undefined> {
  const leaseId = newId();
  const now = clock.now();
  const lane = await lanes.acquire(storeClientId, { leaseId, now, until: now + HELD_FOR_MS });
  if (lane === undefined) return undefined;
  try {
    return await work();
  } finally {
    const release = (dirty: number) => lanes.release(storeClientId, { leaseId, dirty });
    let dirty = await release(lane.dirty);
    const hasTicket = dirty !== undefined;
    while (dirty !== undefined) dirty = await release(dirty);
    if (hasTicket) await tickets.send([{ storeClientId }]);
  }
}

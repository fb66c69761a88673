import type { PageRequest } from '../collections/page-request.ts';
import type { Lane, Ticket } from './model.ts';

/** The Lanes table. Times are epoch ms. */
export interface LaneTable {
  /** Makes the lane known to the waker; no effect on one that is. */
  ensure(storeClientId: string): Promise<void>;
  /** Takes the lease if there is none alive at `now`; a repeat with the same `leaseId` finds itself the holder. */
  acquire(
    storeClientId: string,
    lease: { leaseId: string; now: number; until: number },
  ): Promise<Lane | undefined>;
  /** Tells the holder that there may be more. */
  nudge(storeClientId: string): Promise<void>;
  /** Lengthens the lease, never shortens it; `false` when it is not this holder's any more. */
  extend(storeClientId: string, leaseId: string, until: number): Promise<boolean>;
  /** Lets the lease go if it is this holder's and nobody nudged since `nudges` was read. */
  release(
    storeClientId: string,
    lease: { leaseId: string; nudges: number },
  ): Promise<'released' | 'nudged' | 'lost'>;
  /** Remembers what its work waits for; `undefined` when for nobody. Makes the lane where there is none. */
  setAwaits(storeClientId: string, awaits: Lane['awaits']): Promise<void>;
  /** Strongly consistent. */
  get(storeClientId: string): Promise<Lane | undefined>;
  list(options?: PageRequest): Promise<{ lanes: Lane[]; cursor?: string }>;
}

/** The wake queue. */
export interface TicketQueue {
  /** `delayMs` is rounded up to whole seconds, at most 900 s. */
  send(tickets: readonly Ticket[], options?: { delayMs?: number }): Promise<void>;
}

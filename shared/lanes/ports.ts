import type { Lane, LaneState, Ticket } from './model.ts';

/** The Lanes table. Times are epoch ms. */
export interface LaneTable {
  /** Takes the lease if none is unexpired at `now`; a repeat with the same `leaseId` finds itself the holder. */
  acquire(
    storeClientId: string,
    lease: { leaseId: string; now: number; until: number },
  ): Promise<Lane | undefined>;
  /** Marks the lane, so that its holder looks for more work. */
  markDirty(storeClientId: string): Promise<void>;
  /** Lengthens the lease, never shortens it; `false` when it is not this holder's any more. */
  extend(storeClientId: string, leaseId: string, until: number): Promise<boolean>;
  /** Releases the lease if it is this holder's and the lane was not marked since `dirty` was read. */
  release(
    storeClientId: string,
    lease: { leaseId: string; dirty: number },
  ): Promise<'released' | 'dirty' | 'lost'>;
  /** Replaces a lane's state. Creates the lane if there is none. */
  remember(storeClientId: string, state: LaneState): Promise<void>;
  /** Strongly consistent. */
  get(storeClientId: string): Promise<Lane | undefined>;
  /** Those of the stores that have one, by store; strongly consistent. */
  getMany(storeClientIds: readonly string[]): Promise<ReadonlyMap<string, Lane>>;
}

/** The wake queue. */
export interface TicketQueue {
  /** `delayMs` is rounded up to whole seconds, at most 900 s. */
  send(tickets: readonly Ticket[], options?: { delayMs?: number }): Promise<void>;
}

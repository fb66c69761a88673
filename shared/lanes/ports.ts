import type { EpochMs } from '../time/times.ts';
import type { Lane, LaneState, Ticket } from './model.ts';

/** The Lanes table. */
export interface LaneTable {
  /** Takes the lease unless another one is valid at `now`. May be repeated with the same `leaseId`. */
  acquire(
    storeClientId: string,
    lease: { leaseId: string; now: EpochMs; until: EpochMs },
  ): Promise<Lane | undefined>;
  /** Increments `dirty`, so that the holder looks for more work. */
  markDirty(storeClientId: string): Promise<void>;
  /** Extends the lease to `until`, never shortens it. Returns `false` if another holder has the lease. */
  extend(storeClientId: string, leaseId: string, until: EpochMs): Promise<boolean>;
  /**
   * Releases the lease if this holder has it and the lane still has this `dirty` (default: any). `state` replaces the state of the
   * lane; by default the state stays.
   *
   * @returns the `dirty` of the lane if it differs; the lease is not released then
   */
  release(
    storeClientId: string,
    lease: { leaseId: string; dirty?: number; state?: LaneState },
  ): Promise<number | undefined>;
  /** Strongly consistent. */
  get(storeClientId: string): Promise<Lane | undefined>;
  /** The lanes of the stores, by store. Strongly consistent. */
  getMany(storeClientIds: readonly string[]): Promise<ReadonlyMap<string, Lane>>;
}

/** The wake queue. */
export interface TicketQueue {
  /** `delayMs` is rounded up to whole seconds, at most 900 s. */
  send(tickets: readonly Ticket[], options?: { delayMs?: number }): Promise<void>;
}

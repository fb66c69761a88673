import type { LaneContext } from './lane-context.ts';

/** A holder's lease on its lane, and how it is let go. */
export class Lease {
  readonly #context: LaneContext;
  #nudges: number;

  /** `nudges`: as they were when the lease was taken. */
  constructor(context: LaneContext, nudges: number) {
    this.#context = context;
    this.#nudges = nudges;
  }

  /** `false` when a ticket came in the meantime: the lane must be looked at once more. */
  async letGo(): Promise<boolean> {
    const { ports, store, leaseId } = this.#context;
    const released = await ports.lanes.release(store.storeClientId, { leaseId, nudges: this.#nudges });
    if (released !== 'nudged') return true;
    this.#nudges = (await ports.lanes.get(store.storeClientId))?.nudges ?? this.#nudges;
    return false;
  }

  /** Lets the lane go whatever waits: every outcome is known, or fenced in its listing. */
  async letGoAnyway(): Promise<void> {
    const { ports, store, leaseId } = this.#context;
    while (!(await this.letGo())) {
      const lane = await ports.lanes.get(store.storeClientId);
      if (lane?.leaseId !== leaseId) break;
    }
  }
}

import type { Lane } from '../model.ts';
import type { Halt } from './halt.ts';
import { type LaneContext, LeaseLostError } from './lane-context.ts';
import type { HolderReport } from './lane-report.ts';
import type { Lease } from './lease.ts';
import { leavingPriorities } from './pick-request.ts';

/** What a holder did until it leaves. */
type Done = Omit<HolderReport, 'ended'>;

/** How a holder leaves its lane: the lease, the ticket for whoever goes on, and its report. */
export class LaneExit {
  readonly #context: LaneContext;
  readonly #lease: Lease;
  readonly #awaits: Lane['awaits'];

  /** `awaits`: as the lane said it when the lease was taken. */
  constructor(context: LaneContext, lease: Lease, awaits: Lane['awaits']) {
    this.#context = context;
    this.#lease = lease;
    this.#awaits = awaits;
  }

  /** Throws what a `failure` was, unless the lease is somebody else's by now. */
  async halted(halt: Halt, pricesHeld: boolean, done: Done): Promise<HolderReport> {
    if (halt.reason === 'failure') {
      if (halt.error instanceof LeaseLostError) return { ended: 'lost', ...done };
      // What was in flight may not be settled: the lease runs out before anything leaves again.
      throw halt.error;
    }
    await this.#letGo(pricesHeld);
    if (halt.reason === 'paused') await this.#goOnIn(halt.untilMs);
    return { ended: halt.reason, ...done };
  }

  async outOfTime(pricesHeld: boolean, done: Done): Promise<HolderReport> {
    await this.#letGo(pricesHeld);
    await this.#goOnIn(0);
    return { ended: 'out-of-time', ...done };
  }

  /** The lease is let go already. What backs off, or is fenced, is looked at again when it is due. */
  async drained(pricesHeld: boolean, done: Done): Promise<HolderReport> {
    const { ports, store } = this.#context;
    await this.#sayAwaits(pricesHeld);
    const due = await ports.listings.nextDue(store.storeClientId, leavingPriorities(pricesHeld));
    if (due !== undefined) await this.#goOnIn(Math.max(0, due - ports.clock.now()));
    return { ended: 'drained', ...done };
  }

  async #letGo(pricesHeld: boolean): Promise<void> {
    await this.#lease.letGoAnyway();
    await this.#sayAwaits(pricesHeld);
  }

  /** Says it in the lane, for those who look at how long its changes wait. */
  async #sayAwaits(pricesHeld: boolean): Promise<void> {
    const { ports, store } = this.#context;
    const awaits = pricesHeld ? 'release' : undefined;
    if (awaits !== this.#awaits) await ports.lanes.setAwaits(store.storeClientId, awaits);
  }

  async #goOnIn(delayMs: number): Promise<void> {
    const { ports, store } = this.#context;
    await ports.tickets.send([{ storeClientId: store.storeClientId }], { delayMs });
  }
}

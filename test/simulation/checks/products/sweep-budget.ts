import type { TransportRequest } from '../../../../shared/marketplace/transport.ts';
import type { SimulatedProcess } from '../../engine/simulated-process.ts';
import type { Simulation } from '../../engine/simulation.ts';

interface Budget {
  /** Reads after which a sweep takes up no further batch. */
  readonly callBudget: number;
  readonly itemsPerRequest: number;
}

/** A sweep reads no more of the marketplace than its budget has, but for the rows of the batch that it was at. */
export class SweepBudget {
  readonly #simulation: Simulation;
  readonly #budget: Budget;
  readonly #reads = new WeakMap<SimulatedProcess, Set<string>>();

  constructor(simulation: Simulation, budget: Budget) {
    this.#simulation = simulation;
    this.#budget = budget;
  }

  onSent(process: SimulatedProcess, { url }: TransportRequest): void {
    // A list is read once for all batches of a sweep, and has a bound of its own.
    if (!process.name.startsWith('sweeper') || new URL(url).pathname.endsWith('/products')) return;
    // A read that fails for now is tried again within its call.
    const reads = (this.#reads.get(process) ?? new Set()).add(url);
    this.#reads.set(process, reads);
    const { callBudget, itemsPerRequest } = this.#budget;
    if (reads.size < callBudget + itemsPerRequest) return;
    this.#simulation.violate(`${process.name} makes ${reads.size} reads of ${callBudget}`);
  }
}

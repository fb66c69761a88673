import type { TransportRequest } from '../../../../shared/marketplace/transport.ts';
import type { SimulatedProcess } from '../../engine/simulated-process.ts';
import type { Simulation } from '../../engine/simulation.ts';

interface Budget {
  /** Reads after which a sweep begins no further batch. */
  readonly callBudget: number;
  readonly itemsPerRequest: number;
}

/** A sweep makes no more reads than its budget, except for the rows of its last batch. */
export class SweepBudget {
  readonly #simulation: Simulation;
  readonly #budget: Budget;
  readonly #reads = new WeakMap<SimulatedProcess, Set<string>>();

  constructor(simulation: Simulation, budget: Budget) {
    this.#simulation = simulation;
    this.#budget = budget;
  }

  onSent(process: SimulatedProcess, { url }: TransportRequest): void {
    // A list is read once for all batches of a sweep, and has a separate bound.
    if (!process.name.startsWith('sweeper') || new URL(url).pathname.endsWith('/products')) return;
    // A read that fails temporarily is retried within its call.
    const reads = (this.#reads.get(process) ?? new Set()).add(url);
    this.#reads.set(process, reads);
    const { callBudget, itemsPerRequest } = this.#budget;
    if (reads.size < callBudget + itemsPerRequest) return;
    this.#simulation.violate(`${process.name} makes ${reads.size} reads of ${callBudget}`);
  }
}

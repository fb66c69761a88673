import { MAX_SKEW_MS } from '../engine/simulated-process.ts';
import type { Simulation } from '../engine/simulation.ts';
import type { Exchange } from '../world/network.ts';

export interface Allowed {
  readonly requestsPerSecond: number;
  readonly requestsInFlight: number;
}

/** What may pass between leave and arrival when operations are slow: requests may come that much closer together. */
const USUAL_DELAY_MS = 2_000;

/** Design P6, counted where the requests arrive; those that a fault held up are not counted. */
export class SharedLimit {
  readonly #simulation: Simulation;
  readonly #allowed: Allowed;
  readonly #arrivals: number[] = [];

  constructor(simulation: Simulation, allowed: Allowed) {
    this.#simulation = simulation;
    this.#allowed = allowed;
  }

  onLanded(): void {
    const { now } = this.#simulation;
    const { requestsPerSecond } = this.#allowed;
    this.#arrivals.push(now);
    for (const [index, since] of this.#arrivals.entries()) {
      const count = this.#arrivals.length - index;
      const seconds = Math.max(1, (now - since + 2 * MAX_SKEW_MS + USUAL_DELAY_MS) / 1000);
      if (count <= requestsPerSecond * seconds + requestsPerSecond) continue;
      this.#simulation.violate(`P6: ${count} requests arrived within ${seconds.toFixed(2)} s`);
    }
  }

  onSent(others: readonly Exchange[]): void {
    const counted = others.filter(({ isOpen, process }) => isOpen && process.alive && !process.isHeldUp);
    const open = counted.length + 1;
    if (open <= this.#allowed.requestsInFlight) return;
    this.#simulation.violate(`P6: ${open} requests in flight`);
  }
}

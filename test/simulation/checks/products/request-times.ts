import type { TransportRequest } from '../../../../shared/marketplace/transport.ts';
import type { SimulatedProcess } from '../../engine/simulated-process.ts';
import type { Simulation } from '../../engine/simulation.ts';

interface Begun {
  /** True time from which the process begins no further request. */
  readonly stopAt: number;
  /** What left last for each store, and when. */
  readonly last: Map<string, { readonly text: string; readonly at: number }>;
}

/** How far the time that a process reads is off from what it counts by, for clocks that tell whole milliseconds. */
const GRAIN_MS = 1;

/** Once its time is over, a process that has sent something for a store sends nothing else for it. */
export class RequestTimes {
  readonly #simulation: Simulation;
  readonly #begun = new WeakMap<SimulatedProcess, Begun>();

  constructor(simulation: Simulation) {
    this.#simulation = simulation;
  }

  /** A process takes up a message, and begins requests for this long. */
  onBegun(process: SimulatedProcess, beginMs: number): void {
    this.#begun.set(process, { stopAt: this.#simulation.now + beginMs + GRAIN_MS, last: new Map() });
  }

  /** A request leaves that is to have an effect; one that is repeated is none of its own. */
  onSent(process: SimulatedProcess, { url, body, headers }: TransportRequest): void {
    const begun = this.#begun.get(process);
    if (begun === undefined) return;
    const store = headers['x-store-client-id'] ?? '';
    const last = begun.last.get(store);
    const text = `${url} ${Buffer.from(body ?? []).toString()}`;
    if (last !== undefined && last.text !== text && last.at > begun.stopAt) {
      this.#simulation.violate(`${process.name} begins another request, and its time was over: ${text}`);
    }
    begun.last.set(store, { text, at: this.#simulation.now });
  }
}

import type { TransportRequest } from '../../../../shared/marketplace/transport.ts';
import type { SimulatedProcess } from '../../engine/simulated-process.ts';
import type { Simulation } from '../../engine/simulation.ts';

interface Begun {
  /** True time from which the process begins no further request. */
  readonly stopAt: number;
  /** The last request for each store, and its time. */
  readonly last: Map<string, { readonly text: string; readonly at: number }>;
}

/** Tolerance of a process's time, because clocks count whole milliseconds. */
const GRAIN_MS = 1;

/** A process whose time is over sends nothing else for a store that it has sent something for. */
export class RequestTimes {
  readonly #simulation: Simulation;
  readonly #begun = new WeakMap<SimulatedProcess, Begun>();

  constructor(simulation: Simulation) {
    this.#simulation = simulation;
  }

  /** A process receives a message, and begins requests for this long. */
  onBegun(process: SimulatedProcess, beginMs: number): void {
    this.#begun.set(process, { stopAt: this.#simulation.now + beginMs + GRAIN_MS, last: new Map() });
  }

  /** A request with an effect is sent; a repeated one does not count separately. */
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

import { isDeepStrictEqual } from 'node:util';
import type { TransportRequest } from '../../../../shared/marketplace/transport.ts';
import type { SimulatedProcess } from '../../engine/simulated-process.ts';
import type { Simulation } from '../../engine/simulation.ts';

interface Begun {
  /** True time from which the process begins no further request. */
  readonly stopAt: number;
  /** The last request for each store, and its time. */
  readonly last: Map<string, Sent & { readonly at: number }>;
}

interface Sent {
  readonly url: string;
  readonly body: Readonly<Record<string, unknown>>;
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
    const text = Buffer.from(body ?? []).toString();
    const sent = { url, body: text === '' ? {} : JSON.parse(text) };
    if (last !== undefined && !isRepeat(sent, last) && last.at > begun.stopAt) {
      this.#simulation.violate(
        `${process.name} begins another request, and its time was over: ${url} ${text}`,
      );
    }
    begun.last.set(store, { ...sent, at: this.#simulation.now });
  }
}

/** An update that is repeated leaves out the fields that a newer one has set since. */
function isRepeat(sent: Sent, last: Sent): boolean {
  return (
    sent.url === last.url &&
    Object.entries(sent.body).every(([field, value]) => isDeepStrictEqual(last.body[field], value))
  );
}

import { isDeepStrictEqual } from 'node:util';
import type { TransportRequest } from '../../../../shared/marketplace/transport.ts';
import type { SimulatedProcess } from '../../engine/simulated-process.ts';
import type { Simulation } from '../../engine/simulation.ts';

interface Begun {
  /** True time from which the process begins no further request. */
  readonly stopAt: number;
  /** What left last for each store, and when. */
  readonly last: Map<string, Sent & { readonly at: number }>;
}

interface Sent {
  readonly url: string;
  readonly body: Readonly<Record<string, unknown>>;
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

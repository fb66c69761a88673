import { readWhole } from '../../../../shared/marketplace/answers.ts';
import { TransportError } from '../../../../shared/marketplace/errors.ts';
import type { Transport, TransportResponse } from '../../../../shared/marketplace/transport.ts';
import type { SimulatedProcess } from '../../engine/simulated-process.ts';
import type { Simulation } from '../../engine/simulation.ts';
import { type Exchange, Network, type NetworkOptions } from '../network.ts';
import { OVERSIZED } from './document-marketplace.ts';

/** Bytes per piece of a document: fewer than the PDF header, so that it takes several to recognise a PDF. */
const PIECE_BYTES = 4;
/** Milliseconds between two pieces. */
const LONGEST_PAUSE_MS = 20;

/** A network where documents arrive in pieces and may end in the middle. */
export class DocumentNetwork extends Network {
  readonly #simulation: Simulation;
  readonly #reading = new Set<Exchange>();

  constructor(simulation: Simulation, options: NetworkOptions) {
    super(simulation, options);
    this.#simulation = simulation;
  }

  /** Fetches of living processes, from the request until the outcome is stored. */
  get fetches(): Exchange[] {
    return this.exchanges.filter((one) => one.process.alive && (one.isOpen || this.#reading.has(one)));
  }

  override transportOf(process: SimulatedProcess): Transport {
    const whole = super.transportOf(process);
    return {
      receive: async (request, read) => {
        const answer = await whole.receive(request, readWhole);
        const exchange = this.exchanges.find((one) => one.request === request);
        if (exchange) this.#reading.add(exchange);
        try {
          return await read({ ...answer, body: this.#bring(process, answer) });
        } finally {
          if (exchange) this.#reading.delete(exchange);
        }
      },
    };
  }

  async *#bring(process: SimulatedProcess, { headers, body }: TransportResponse): AsyncGenerator<Uint8Array> {
    const { random, faults } = this.#simulation;
    for (let at = 0; at < body.length; ) {
      await process.clock.sleep(random.integer(1, LONGEST_PAUSE_MS));
      if (faults.strikes('connection cut after the effect'))
        throw new TransportError('connectionCut', 'cut', { sent: true });
      const end = at < PIECE_BYTES ? at + PIECE_BYTES : body.length;
      yield body.subarray(at, end);
      at = end;
    }
    if (headers['content-type'] === OVERSIZED)
      throw new TransportError('answerTooLarge', 'longer than the limit', { sent: true });
  }
}

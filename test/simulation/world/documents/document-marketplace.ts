import type { TransportRequest } from '../../../../shared/marketplace/transport.ts';
import type { Simulation } from '../../engine/simulation.ts';
import { answer, fail, type MarketplaceAnswer } from '../answers.ts';
import { MarketplaceGate } from '../marketplace-gate.ts';
import type { DocumentOrder } from './document-orders.ts';

/** Probability that another answer comes in place of a document, in seeds with this fault. */
const MOST_ODD_ANSWERS = 0.3;
/** Content type of a PDF that is too long for its reader. */
export const OVERSIZED = 'application/pdf; oversized';

/** Answers in place of a PDF. */
const oddAnswers: readonly { readonly contentType: string; readonly text: string }[] = [
  { contentType: 'text/html', text: '%PDF-1.7 %%EOF' },
  { contentType: 'application/pdf', text: '<html>busy</html> %%EOF' },
  { contentType: 'application/pdf', text: '' },
  // Cut off.
  { contentType: 'application/pdf', text: '%PDF-1.7' },
  { contentType: OVERSIZED, text: '%PDF-1.7' },
];

/** The order and the kind of document that a request asks for. */
export function wantedOf({ url }: TransportRequest): { orderId: string; document: string } {
  const [, orderId = '', document = ''] = /orders\/([^/]+)\/documents\/([^/?]+)/.exec(url) ?? [];
  return { orderId, document };
}

/** The document endpoints of the marketplace (§4.18, §4.19): a new document each time, if the order's state allows it. */
export class DocumentMarketplace {
  readonly gate: MarketplaceGate;
  /** The time of each document, by its content. */
  readonly printedAt = new Map<string, number>();
  readonly #simulation: Simulation;
  readonly #orders: readonly DocumentOrder[];
  readonly #oddAnswers: number;

  constructor(
    simulation: Simulation,
    stores: ConstructorParameters<typeof MarketplaceGate>[1],
    orders: readonly DocumentOrder[],
  ) {
    this.#simulation = simulation;
    this.#orders = orders;
    this.gate = new MarketplaceGate(simulation, stores);
    this.#oddAnswers = simulation.random.chance(0.5) ? MOST_ODD_ANSWERS * simulation.random.next() : 0;
  }

  handle(request: TransportRequest): MarketplaceAnswer {
    const refusal = this.gate.refuse(request);
    if (refusal !== undefined) return refusal;
    const { orderId, document } = wantedOf(request);
    const order = this.#orders.find((one) => one.orderId === orderId);
    if (order?.readyAt === undefined) return fail(404, 'ORDER_001');
    if (order.readyAt > this.#simulation.now) return fail(409, 'ORDER_021', { orderId });
    return this.gate.disturb(() => this.#print(orderId, document));
  }

  #print(orderId: string, document: string): MarketplaceAnswer {
    const { random, faults } = this.#simulation;
    const text = `%PDF-1.7 ${orderId} ${document} ${this.#simulation.newId('print')} %%EOF`;
    this.printedAt.set(text, this.#simulation.now);
    const isOdd = !faults.stopped && random.chance(this.#oddAnswers);
    const { contentType, text: body } = isOdd
      ? random.pick(oddAnswers)
      : { contentType: 'application/pdf', text };
    const printed = answer(200, {});
    return {
      ...printed,
      response: { status: 200, headers: { 'content-type': contentType }, body: Buffer.from(body) },
    };
  }
}

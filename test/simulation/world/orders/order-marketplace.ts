import * as z from 'zod';
import type { TransportRequest } from '../../../../shared/marketplace/transport.ts';
import type { AnsweredBatch } from '../../checks/accounts.ts';
import type { Simulation } from '../../engine/simulation.ts';
import { answer, fail, type MarketplaceAnswer } from '../answers.ts';
import { MarketplaceGate } from '../marketplace-gate.ts';
import type { BookedOrder, OrderBook } from './order-book.ts';

const sentItem = z.strictObject({
  orderId: z.string().optional(),
  invoiceNumber: z.string().optional(),
  decision: z.enum(['accept', 'reject']).optional(),
  reasonCode: z.string().optional(),
  reason: z.string().optional(),
});
export type SentItem = z.infer<typeof sentItem>;

/** The orders of a bulk request, read without the connector's schemas. */
export function readSentItems({ body = new Uint8Array() }: TransportRequest): SentItem[] {
  return z.strictObject({ items: z.array(sentItem).min(1) }).parse(JSON.parse(Buffer.from(body).toString()))
    .items;
}

/** The action of a request on its orders. */
export function actionOf({ url }: TransportRequest): 'decision' | 'dropoff' {
  return url.endsWith('/decisions') ? 'decision' : 'dropoff';
}

/** The order endpoints of the marketplace (§4.16, §4.17): every request takes effect, however often it is repeated. */
export class OrderMarketplace {
  readonly gate: MarketplaceGate;
  /** The answered batches of dropoffs. */
  readonly batches = new Map<string, AnsweredBatch>();
  readonly #simulation: Simulation;
  readonly #book: OrderBook;
  /** The positions of the rows with an effect, by request; absent without any. */
  readonly #effects = new WeakMap<TransportRequest, ReadonlySet<number>>();

  constructor(simulation: Simulation, book: OrderBook) {
    this.#simulation = simulation;
    this.#book = book;
    this.gate = new MarketplaceGate(simulation, book.stores);
  }

  /** Whether a request had an effect for one of its rows. */
  tookRow(request: TransportRequest, position: number): boolean {
    return this.#effects.get(request)?.has(position) ?? false;
  }

  handle(request: TransportRequest): MarketplaceAnswer {
    const refusal = this.gate.refuse(request);
    if (refusal !== undefined) return refusal;
    const storeClientId = request.headers['x-store-client-id'] ?? '';
    const items = readSentItems(request);
    const orders = items.map((item) => this.#book.find(storeClientId, item));
    const known = orders.filter(
      (order): order is BookedOrder => order !== undefined && order.nature !== 'unknown',
    );
    if (known.length < items.length) return fail(404, 'ORDER_001');
    return this.gate.disturb(() =>
      actionOf(request) === 'decision'
        ? this.#decide(request, items, known)
        : this.#dropOff(request, items, known),
    );
  }

  #decide(
    request: TransportRequest,
    items: readonly SentItem[],
    orders: readonly BookedOrder[],
  ): MarketplaceAnswer {
    for (const [position, order] of orders.entries())
      order.decisions.push(items[position]?.decision ?? 'accept');
    this.#effects.set(request, new Set(orders.keys()));
    return answer(200, { success: true, message: 'done' });
  }

  #dropOff(
    request: TransportRequest,
    items: readonly SentItem[],
    orders: readonly BookedOrder[],
  ): MarketplaceAnswer {
    const ready = [...orders.entries()].filter(([, { nature }]) => nature === 'ordinary');
    const skipped = orders.filter(({ nature }) => nature !== 'ordinary');
    const errors = skipped.map(({ orderId }) => ({
      orderId,
      reason: 'STATUS_NOT_ALLOWED',
      message: 'not ready',
    }));
    const summary = { total: orders.length, accepted: ready.length, skipped: skipped.length };
    const batchId = this.#simulation.newId('batch');
    const isUnnamed = skipped.length > 0 && this.#simulation.faults.strikes('skipped orders are not named');
    if (isUnnamed) errors.length = 0;
    // The answer names an order by its ID; an invoice number can be matched only when all orders are skipped.
    const isClear = items.every(({ orderId }) => orderId !== undefined) || ready.length === 0;
    this.batches.set(batchId, { batchId, rows: orders.length, failed: isClear ? errors.length : 0 });
    if (ready.length === 0) {
      const error = {
        code: 'ORDER_026',
        message: 'none is ready',
        details: { context: { summary, errors } },
      };
      return answer(422, { error, requestId: batchId });
    }
    for (const [, order] of ready) order.dropoffs += 1;
    this.#effects.set(request, new Set(ready.map(([position]) => position)));
    const named = this.#simulation.faults.strikes('answer without batchId') ? {} : { batchId };
    return answer(200, { success: true, requestId: batchId, data: { ...named, summary, errors } });
  }
}

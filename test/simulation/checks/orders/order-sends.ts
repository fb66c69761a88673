import type { OrderAction, OrderRecord } from '../../../../shared/orders/model.ts';
import type { SimulatedProcess } from '../../engine/simulated-process.ts';
import type { Simulation } from '../../engine/simulation.ts';
import type { Exchange } from '../../world/network.ts';
import { type BookedOrder, keyOf, keysOf, type OrderBook } from '../../world/orders/order-book.ts';
import { actionOf, type OrderMarketplace, readSentItems } from '../../world/orders/order-marketplace.ts';

/** The command that a process does, and since when. */
interface Doing {
  readonly commandId: string;
  readonly retry: boolean;
  readonly since: number;
}

/** One order in one request. */
interface Send extends Doing {
  readonly exchange: Exchange;
  readonly position: number;
  readonly name: string;
  readonly decision: string | undefined;
}

/**
 * The rules of orders at every send: never two different decisions, never the same action again once its outcome is
 * known, and where nobody can tell only for an explicit retry, once. What was known is judged by what was answered, and
 * which names are one order's by what is kept.
 */
export class OrderSends {
  readonly #simulation: Simulation;
  readonly #book: OrderBook;
  readonly #marketplace: OrderMarketplace;
  readonly #doing = new WeakMap<SimulatedProcess, Doing>();
  readonly #sends = new Map<string, Send[]>();
  /** When an action was first kept as done, and when an operator last said that it had no effect; by place. */
  readonly #doneAt = new Map<string, number>();
  readonly #clearedAt = new Map<string, number>();
  /** When two names of an order were kept as one. */
  readonly #linkedAt = new Map<BookedOrder, number>();

  constructor(simulation: Simulation, book: OrderBook, marketplace: OrderMarketplace) {
    this.#simulation = simulation;
    this.#book = book;
    this.#marketplace = marketplace;
  }

  onCommand(process: SimulatedProcess, command: Omit<Doing, 'since'>): void {
    this.#doing.set(process, { ...command, since: this.#simulation.now });
  }

  /** An operator found out that it had no effect. */
  onCleared(order: BookedOrder, action: OrderAction): void {
    this.#clearedAt.set(placeOf(order, action), this.#simulation.now);
  }

  onWritten(before: OrderRecord | undefined, after: OrderRecord): void {
    const order = this.#book.findByKey(after.storeClientId, after.orderKey);
    if (order === undefined) return;
    if (after.aliasOf !== undefined)
      this.#linkedAt.set(order, this.#linkedAt.get(order) ?? this.#simulation.now);
    for (const action of ['decision', 'dropoff'] as const) {
      const place = `${placeOf(order, action)} ${after.orderKey}`;
      if (after[action]?.state === 'done')
        this.#doneAt.set(place, this.#doneAt.get(place) ?? this.#simulation.now);
      const isLeft = before?.[action]?.state === 'done' && after.aliasOf === undefined;
      if (isLeft && after[action]?.state !== 'done')
        this.#violate(order, action, 'was done and is not any more');
    }
  }

  onSent(exchange: Exchange): void {
    const doing = this.#doing.get(exchange.process);
    if (doing === undefined) throw new RangeError(`${exchange.process.name} sends without a command`);
    const action = actionOf(exchange.request);
    const names = new Set<string>();
    for (const [position, item] of readSentItems(exchange.request).entries()) {
      const order = this.#book.find(exchange.storeClientId, item);
      if (order === undefined) continue;
      const name = keyOf(item);
      if (names.has(name)) this.#violate(order, action, 'is named twice in one request');
      names.add(name);
      const send = { ...doing, exchange, position, name, decision: item.decision };
      this.#check(order, action, send);
      this.#sends.set(placeOf(order, action), [...(this.#sends.get(placeOf(order, action)) ?? []), send]);
    }
  }

  #check(order: BookedOrder, action: OrderAction, send: Send): void {
    const place = placeOf(order, action);
    const isOne = (this.#linkedAt.get(order) ?? Number.POSITIVE_INFINITY) <= send.since;
    const names = isOne ? keysOf(order) : [send.name];
    const isDone = names.some(
      (name) => (this.#doneAt.get(`${place} ${name}`) ?? Number.POSITIVE_INFINITY) <= send.since,
    );
    if (isDone) this.#violate(order, action, 'is sent again although it was done');
    const all = this.#sends.get(place) ?? [];
    const before = all.filter(({ name }) => isOne || name === send.name);
    const open = before.filter((one) => !this.#hadNoEffect(one, place));
    if (open.some(({ exchange }) => exchange.isOpen && exchange.process.alive)) {
      this.#violate(order, action, 'is sent while it is on its way');
    } else if (open.some(({ decision }) => decision !== send.decision)) {
      if (!this.isAmbiguous(order, action)) this.#violate(order, action, 'is decided otherwise than before');
    } else if (open.some(({ commandId }) => commandId === send.commandId)) {
      this.#violate(order, action, 'is sent again by the same command');
    } else if (open.length > 0 && !send.retry) {
      this.#violate(order, action, 'is sent again although nobody asked for a retry');
    }
  }

  /** As far as its sender was told, or an operator found out. */
  #hadNoEffect({ exchange, position }: Send, place: string): boolean {
    if ((this.#clearedAt.get(place) ?? 0) > exchange.sentAt) return true;
    return exchange.isOutcomeKnown && !this.#marketplace.tookRow(exchange.request, position);
  }

  /** Whether it was decided otherwise under another name before anybody could know that both are one. */
  isAmbiguous(order: BookedOrder, action: OrderAction): boolean {
    const linkedAt = this.#linkedAt.get(order) ?? Number.POSITIVE_INFINITY;
    const early = (this.#sends.get(placeOf(order, action)) ?? []).filter(({ since }) => since < linkedAt);
    const isUnlike = (values: readonly unknown[]) => new Set(values).size > 1;
    return isUnlike(early.map(({ decision }) => decision)) && isUnlike(early.map(({ name }) => name));
  }

  #violate({ orderId }: BookedOrder, action: OrderAction, what: string): void {
    this.#simulation.violate(`orders: the ${action} of ${orderId} ${what}`);
  }
}

function placeOf({ storeClientId, orderId }: BookedOrder, action: OrderAction): string {
  return `${storeClientId} ${orderId} ${action}`;
}

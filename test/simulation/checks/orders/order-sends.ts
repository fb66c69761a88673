import type { OrderAction } from '../../../../shared/marketplace/fields.ts';
import type { OrderRecord } from '../../../../shared/orders/model.ts';
import type { SimulatedProcess } from '../../engine/simulated-process.ts';
import type { Simulation } from '../../engine/simulation.ts';
import type { Exchange } from '../../world/network.ts';
import { type BookedOrder, keyOf, type OrderBook } from '../../world/orders/order-book.ts';
import {
  actionOf,
  type OrderMarketplace,
  readSentItems,
  type SentItem,
} from '../../world/orders/order-marketplace.ts';
import type { OrderTables } from '../../world/orders/order-tables.ts';

/** One order in one request. */
interface Send {
  readonly exchange: Exchange;
  readonly position: number;
  readonly commandId: string;
  readonly decision: string | undefined;
}

export interface OrderSendsWorld {
  readonly book: OrderBook;
  readonly marketplace: OrderMarketplace;
  readonly tables: Pick<OrderTables, 'requests'>;
}

/**
 * The rules of orders at every send: never two different decisions, never an action again whose outcome is known, and an
 * unknown one only once per explicit retry. An outcome counts as known when it was answered.
 */
export class OrderSends {
  readonly #simulation: Simulation;
  readonly #world: OrderSendsWorld;
  readonly #retries = new Set<string>();
  readonly #begunAt = new WeakMap<SimulatedProcess, number>();
  readonly #sends = new Map<string, Send[]>();
  /** When an action was first recorded as done, and last resolved by an operator as without effect; by place. */
  readonly #doneAt = new Map<string, number>();
  readonly #clearedAt = new Map<string, number>();

  constructor(simulation: Simulation, world: OrderSendsWorld) {
    this.#simulation = simulation;
    this.#world = world;
  }

  onBegun(process: SimulatedProcess): void {
    this.#begunAt.set(process, this.#simulation.now);
  }

  onGiven({ commandId, retry }: { readonly commandId: string; readonly retry: boolean }): void {
    if (retry) this.#retries.add(commandId);
  }

  /** An operator resolved the action as without effect. */
  onCleared(order: BookedOrder, action: OrderAction): void {
    this.#clearedAt.set(placeOf(order, action), this.#simulation.now);
  }

  onWritten(before: OrderRecord | undefined, after: OrderRecord): void {
    const order = this.#world.book.findByKey(after.storeClientId, after.orderKey);
    if (order === undefined) return;
    for (const action of ['decision', 'dropoff'] as const) {
      const place = placeOf(order, action);
      if (after[action]?.state === 'accepted')
        this.#doneAt.set(place, this.#doneAt.get(place) ?? this.#simulation.now);
      if (before?.[action]?.state === 'accepted' && after[action]?.state !== 'accepted')
        this.#violate(order, action, 'was done and is not any more');
    }
  }

  onSent(exchange: Exchange): void {
    const action = actionOf(exchange.request);
    const named = new Set<BookedOrder>();
    for (const [position, item] of readSentItems(exchange.request).entries()) {
      const order = this.#world.book.find(exchange.storeClientId, item);
      if (order === undefined) continue;
      if (named.has(order)) this.#violate(order, action, 'is named twice in one request');
      named.add(order);
      const commandId = this.#commandOf(exchange, action, item);
      if (commandId === undefined) {
        this.#violate(order, action, 'is sent without a record of its request');
        continue;
      }
      const send = { exchange, position, commandId, decision: item.decision };
      this.#check(order, action, send);
      this.#sends.set(placeOf(order, action), [...(this.#sends.get(placeOf(order, action)) ?? []), send]);
    }
  }

  /** The request of this store and action that the process recorded as sent. */
  #commandOf({ process, storeClientId }: Exchange, action: OrderAction, item: SentItem): string | undefined {
    const kind = action === 'decision' ? 'order-decision' : 'dropoff';
    const record = this.#world.tables.requests
      .all()
      .find(
        (one) =>
          one.state === 'sent' &&
          one.storeClientId === storeClientId &&
          one.kind === kind &&
          isOf(process, one.senderId) &&
          one.rows.some((row) => keyOf(row) === keyOf(item)),
      );
    const row = record?.rows.find((one) => keyOf(one) === keyOf(item));
    return row && record?.commands[row.command]?.commandId;
  }

  #check(order: BookedOrder, action: OrderAction, send: Send): void {
    const place = placeOf(order, action);
    const doneAt = this.#doneAt.get(place) ?? Number.POSITIVE_INFINITY;
    // The process could know everything that was done before it began.
    if (doneAt < (this.#begunAt.get(send.exchange.process) ?? 0))
      this.#violate(order, action, 'is sent again although it was done');
    const open = (this.#sends.get(place) ?? []).filter((one) => !this.#hadNoEffect(one, place));
    if (open.some(({ exchange }) => exchange.isOpen && exchange.process.alive)) {
      this.#violate(order, action, 'is sent while another request of it is open');
    } else if (open.some(({ decision }) => decision !== send.decision)) {
      this.#violate(order, action, 'is decided otherwise than before');
    } else if (open.some(({ commandId }) => commandId === send.commandId)) {
      this.#violate(order, action, 'is sent again by the same command');
    } else if (open.length > 0 && !this.#retries.has(send.commandId)) {
      this.#violate(order, action, 'is sent again without a retry');
    } else if (open.some(({ exchange }) => exchange.mayLandUntil >= this.#simulation.now)) {
      this.#violate(order, action, 'is sent again while the request before may still land');
    }
  }

  /** Whether the sender knows it, or an operator resolved it. */
  #hadNoEffect({ exchange, position }: Send, place: string): boolean {
    if ((this.#clearedAt.get(place) ?? 0) > exchange.sentAt) return true;
    return exchange.isOutcomeKnown && !this.#world.marketplace.tookRow(exchange.request, position);
  }

  #violate({ orderId }: BookedOrder, action: OrderAction, what: string): void {
    this.#simulation.violate(`orders: the ${action} of ${orderId} ${what}`);
  }
}

/** Whether a process made this ID. */
function isOf({ name }: SimulatedProcess, senderId = ''): boolean {
  return senderId.startsWith(`${name}-`);
}

function placeOf({ storeClientId, orderId }: BookedOrder, action: OrderAction): string {
  return `${storeClientId} ${orderId} ${action}`;
}

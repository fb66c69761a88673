import type { OrderAction } from '../../../../shared/marketplace/fields.ts';
import type { MessageQueue } from '../message-queue.ts';
import type { BookedOrder } from './order-book.ts';
import type { OrderWorld } from './order-world.ts';

/** A command of the partner. */
export interface GivenOrderCommand {
  readonly commandId: string;
  readonly storeClientId: string;
  readonly action: OrderAction;
  readonly retry: boolean;
  /** Whether its time is too far ahead. */
  readonly isEarly: boolean;
  readonly rows: readonly GivenRow[];
}

/** A row of a command; an invalid row, for example with the wrong identifier, has no `order`. */
export interface GivenRow {
  readonly item: { readonly orderId?: string; readonly invoiceNumber?: string; readonly decision?: string };
  readonly order?: BookedOrder;
}

/** The partner's systems: they decide orders and request dropoffs, more than once, and contradict themselves. */
export class OrderPartner {
  readonly given: GivenOrderCommand[] = [];
  readonly #world: OrderWorld;
  readonly #commands: MessageQueue;
  /** Probability that an order is named by the identifier that its store does not use. */
  readonly #otherNames: number;

  constructor(world: OrderWorld, commands: MessageQueue) {
    this.#world = world;
    this.#commands = commands;
    this.#otherNames = world.simulation.random.pick([0, 0.1, 0.5]);
  }

  /** Gives `count` commands over `spanMs`. */
  start(count: number, spanMs: number): void {
    const { random, scheduler } = this.#world.simulation;
    const rush = random.integer(0, spanMs);
    for (let index = 0; index < count; index += 1) {
      const atMs = random.chance(0.5) ? rush + random.integer(0, 300) : random.integer(0, spanMs);
      scheduler.after(atMs, () => this.#give());
    }
  }

  /** Requests a retry of one action. */
  retry(order: BookedOrder, action: OrderAction, decision: string | undefined): void {
    const row = this.#rowFor(order, decision);
    this.#send({ storeClientId: order.storeClientId, action, retry: true, rows: [row] });
  }

  #give(): void {
    const { simulation, book } = this.#world;
    const { random } = simulation;
    const { storeClientId } = random.pick(book.stores);
    const action = random.pick(['decision', 'dropoff'] as const);
    const orders = random.shuffle(book.orders.filter((order) => order.storeClientId === storeClientId));
    const named = orders.slice(0, random.integer(1, orders.length));
    const rows = named.map((order) => this.#rowFor(order, action === 'dropoff' ? undefined : this.#decide()));
    if (random.chance(0.2))
      rows.push(this.#rowFor(random.pick(named), action === 'dropoff' ? undefined : this.#decide()));
    if (random.chance(0.15)) rows.push({ item: { orderId: 'no UUID', decision: 'maybe' } });
    this.#send({ storeClientId, action, retry: random.chance(0.15), rows: random.shuffle(rows) });
  }

  #decide(): string {
    return this.#world.simulation.random.chance(0.7) ? 'accept' : 'reject';
  }

  #rowFor(order: BookedOrder, decision: string | undefined): GivenRow {
    const { simulation, book } = this.#world;
    const { random } = simulation;
    const { invoiceNumber } = order;
    const orderId = random.chance(0.2) ? order.orderId.toUpperCase() : order.orderId;
    const isOther = random.chance(this.#otherNames);
    const byId = (book.namesOf(order.storeClientId) === 'orderId') !== isOther;
    const name = byId ? { orderId } : { invoiceNumber };
    return { ...(!isOther && { order }), item: { ...name, ...(decision !== undefined && { decision }) } };
  }

  #send(facts: Omit<GivenOrderCommand, 'commandId' | 'isEarly'>): void {
    const { simulation } = this.#world;
    const isEarly = simulation.random.chance(0.03);
    const command = { ...facts, isEarly, commandId: simulation.newId('command') };
    const { commandId, storeClientId, action, retry, rows } = command;
    this.given.push(command);
    this.#world.sends.onGiven(command);
    const items = rows.map(({ item }) => item);
    const body = JSON.stringify({
      id: `event-of-${commandId}`,
      time: new Date(simulation.now + (isEarly ? 3_600_000 : 0)).toISOString(),
      'detail-type': `order.${action}.requested`,
      detail: { storeClientId, commandId, items, ...(retry && { retry }) },
    });
    simulation.note('partner', () => body);
    this.#commands.send(body);
    if (simulation.faults.strikes('message delivered twice')) this.#commands.send(body);
  }
}

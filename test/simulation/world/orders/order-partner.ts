import type { OrderAction } from '../../../../shared/orders/model.ts';
import type { MessageQueue } from '../message-queue.ts';
import type { BookedOrder } from './order-book.ts';
import type { OrderWorld } from './order-world.ts';

/** A command as the partner gave it. */
export interface GivenOrderCommand {
  readonly commandId: string;
  readonly storeClientId: string;
  readonly action: OrderAction;
  readonly retry: boolean;
  readonly rows: readonly GivenRow[];
}

/** A row of a command; `order` is absent of one that breaks a rule. */
export interface GivenRow {
  readonly item: { readonly orderId?: string; readonly invoiceNumber?: string; readonly decision?: string };
  readonly order?: BookedOrder;
}

/** The partner's systems: they decide orders and ask for dropoffs, more than once, by either name, and change their mind. */
export class OrderPartner {
  readonly given: GivenOrderCommand[] = [];
  readonly #world: OrderWorld;
  readonly #commands: MessageQueue;
  /** How often one order is named in one way and soon after in the other. */
  readonly #bothNames: number;

  constructor(world: OrderWorld, commands: MessageQueue) {
    this.#world = world;
    this.#commands = commands;
    this.#bothNames = world.simulation.random.pick([0, 0.1, 0.5]);
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

  /** Asks for a retry of one action. */
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
    if (random.chance(this.#bothNames)) this.#giveByBothNames(random.pick(named));
  }

  /** Asks for the same by either name, and for a dropoff by the name of which the answer may show whose it is. */
  #giveByBothNames(order: BookedOrder): void {
    const { random, scheduler } = this.#world.simulation;
    const { storeClientId, orderId, invoiceNumber } = order;
    const action = random.pick(['decision', 'dropoff'] as const);
    const decision = action === 'dropoff' ? {} : { decision: this.#decide() };
    const give = (about: OrderAction, item: GivenRow['item']) =>
      this.#send({ storeClientId, action: about, retry: false, rows: [{ order, item }] });
    for (const name of random.shuffle([{ orderId }, { invoiceNumber }])) {
      scheduler.after(random.integer(0, 5_000), () => give(action, { ...name, ...decision }));
    }
    scheduler.after(random.integer(5_000, 60_000), () => give('dropoff', { invoiceNumber }));
  }

  #decide(): string {
    return this.#world.simulation.random.chance(0.7) ? 'accept' : 'reject';
  }

  #rowFor(order: BookedOrder, decision: string | undefined): GivenRow {
    const { random } = this.#world.simulation;
    const { orderId, invoiceNumber } = order;
    const name = random.chance(0.6)
      ? { orderId: random.chance(0.2) ? orderId.toUpperCase() : orderId }
      : { invoiceNumber };
    return { order, item: { ...name, ...(decision !== undefined && { decision }) } };
  }

  #send(facts: Omit<GivenOrderCommand, 'commandId'>): void {
    const { simulation } = this.#world;
    const command = { ...facts, commandId: simulation.newId('command') };
    const { commandId, storeClientId, action, retry, rows } = command;
    this.given.push(command);
    const items = rows.map(({ item }) => item);
    const body = JSON.stringify({
      id: `event-of-${commandId}`,
      time: new Date(simulation.now).toISOString(),
      'detail-type': `order.${action}.requested`,
      detail: { storeClientId, commandId, items, ...(retry && { retry }) },
    });
    simulation.note('partner', () => body);
    this.#commands.send(body);
    if (simulation.faults.strikes('message delivered twice')) this.#commands.send(body);
  }
}

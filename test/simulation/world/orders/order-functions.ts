import type { OrderAction, OrderRecord, OrderReference } from '../../../../shared/orders/model.ts';
import { retryOfOrder } from '../../../../shared/orders/rules/retry-of-order.ts';
import { findOrder } from '../../../../shared/orders/use-cases/find-order.ts';
import { listUnknown } from '../../../../shared/orders/use-cases/list-unknown.ts';
import { performOrderCommand } from '../../../../shared/orders/use-cases/perform-order-command.ts';
import { performOrders } from '../../../../shared/orders/use-cases/perform-orders.ts';
import { resolveOrder } from '../../../../shared/orders/use-cases/resolve-order.ts';
import { forConnectedStore } from '../../../../shared/stores/use-cases/for-connected-store.ts';
import type { SimulatedProcess } from '../../engine/simulated-process.ts';
import { Invoker } from '../invoker.ts';
import { type Delivery, MessageQueue, type QueuedMessage } from '../message-queue.ts';
import type { OrderWorld } from './order-world.ts';

/** The functions' own times, as the stack sets them. */
const PRODUCER_TIMEOUT_MS = 100_000;
const API_TIMEOUT_MS = 29_000;

type Ports = ReturnType<OrderWorld['portsOf']>;

/** An order and what was asked of it. */
export interface OrderWish {
  readonly storeClientId: string;
  readonly reference: OrderReference;
  readonly action: OrderAction;
}

/** Those who do order commands, from the queue and for an operator's route. */
export class OrderFunctions {
  readonly commands: MessageQueue;
  readonly #world: OrderWorld;
  readonly #invoker: Invoker;

  constructor(world: OrderWorld) {
    this.#world = world;
    this.#invoker = new Invoker(world.simulation);
    this.commands = new MessageQueue(world.simulation, {
      name: 'order commands',
      batchSize: 1,
      concurrency: 4,
      visibilityTimeoutMs: 6 * PRODUCER_TIMEOUT_MS,
      deliver: ([message], done) => this.#perform(message, done),
    });
  }

  get isIdle(): boolean {
    return this.#invoker.isIdle && this.commands.isEmpty;
  }

  /** As `GET /stores/{storeClientId}/orders/unknown` does. */
  list(storeClientId: string, onListed: (orders: readonly OrderRecord[]) => void): void {
    this.#serve('operator lists', async (ports) => {
      const { orders } = await listUnknown(ports.orders, storeClientId, { now: ports.clock.now() });
      onListed(orders);
    });
  }

  /** As `POST /stores/{storeClientId}/orders/retry` does. */
  retry(wish: OrderWish): void {
    this.#serve('operator retries', async (ports, process) => {
      const { storeClientId, reference } = wish;
      const commandId = this.#world.simulation.newId('api-retry');
      const order = await findOrder(ports.orders, storeClientId, reference);
      const command = order && retryOfOrder(order, { ...wish, commandId, now: ports.clock.now() });
      if (command === undefined) return;
      this.#world.sends.onCommand(process, { commandId, retry: true });
      await forConnectedStore(ports, storeClientId, (store) => performOrders(ports, command, store));
    });
  }

  /** As `POST /stores/{storeClientId}/orders/resolve` does; `outcome` is what the marketplace shows. */
  resolve(wish: OrderWish): void {
    this.#serve('operator resolves', async (ports) => {
      const { storeClientId, reference, action } = wish;
      const record = await findOrder(ports.orders, storeClientId, reference);
      const booked = this.#world.book.find(storeClientId, reference);
      if (booked === undefined || record === undefined || this.#mayStillLand(storeClientId)) return;
      const isDone =
        action === 'dropoff'
          ? booked.dropoffs > 0
          : booked.decisions.includes(record.decision?.decision ?? 'accept');
      const outcome = isDone ? 'done' : 'refused';
      if (!isDone) this.#world.sends.onCleared(booked, action);
      await resolveOrder(ports, { ...wish, outcome });
    });
  }

  /** Nobody can find out about an order as long as something of it may be on its way. */
  #mayStillLand(storeClientId: string): boolean {
    const { network, simulation } = this.#world;
    return network.exchanges.some(
      (exchange) => exchange.storeClientId === storeClientId && exchange.mayLandUntil >= simulation.now,
    );
  }

  #perform(message: QueuedMessage | undefined, done: (failed: readonly string[]) => void): Delivery {
    const all = message === undefined ? [] : [message.messageId];
    return this.#invoker.invoke({
      name: 'order-producer',
      timeoutMs: PRODUCER_TIMEOUT_MS,
      run: async (process) => {
        if (message === undefined) return done([]);
        const { commandId, retry = false } = JSON.parse(message.body).detail;
        this.#world.sends.onCommand(process, { commandId, retry });
        const ports = this.#world.portsOf(process, this.commands);
        const stopAt = ports.clock.now() + this.#world.settings.beginRequestsMs;
        const result = await performOrderCommand(ports, message, stopAt);
        this.#world.simulation.note(process.name, () => JSON.stringify(result));
        done([]);
      },
      onFailed: () => done(all),
    });
  }

  #serve(name: string, run: (ports: Ports, process: SimulatedProcess) => Promise<void>): void {
    this.#invoker.invoke({
      name,
      timeoutMs: API_TIMEOUT_MS,
      run: (process) => run(this.#world.portsOf(process, this.commands), process),
    });
  }
}

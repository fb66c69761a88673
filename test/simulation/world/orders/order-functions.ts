import { writeIncomingEvent } from '../../../../shared/events/incoming.ts';
import type { OrderRecord } from '../../../../shared/orders/model.ts';
import { orderKeyOf } from '../../../../shared/orders/model.ts';
import { createOrderDomain } from '../../../../shared/orders/order-domain.ts';
import { commandOutcomes } from '../../../../shared/orders/rules/command-outcomes.ts';
import { applyOrders } from '../../../../shared/orders/use-cases/apply-orders.ts';
import {
  resolveOrder,
  retryOfOrder,
  type UnknownAction,
} from '../../../../shared/orders/use-cases/unknown-orders.ts';
import type { RequestRecord } from '../../../../shared/requests/model.ts';
import { awaitCommand } from '../../../../shared/requests/use-cases/await-command.ts';
import { receiveCommands } from '../../../../shared/requests/use-cases/receive-commands.ts';
import { RequestTime } from '../../../../shared/requests/use-cases/run-request.ts';
import { sweepRequests } from '../../../../shared/requests/use-cases/sweep.ts';
import { checkAnsweredRetry } from '../../checks/orders/answered-retry.ts';
import type { SimulatedProcess } from '../../engine/simulated-process.ts';
import { Invoker } from '../invoker.ts';
import { type Delivery, MessageQueue, type QueuedMessage } from '../message-queue.ts';
import type { OrderWorld } from './order-world.ts';

/** The timeouts of the functions, as in the stack. */
const PRODUCER_TIMEOUT_MS = 110_000;
const API_TIMEOUT_MS = 29_000;
/** How long the caller of a route waits for the end of its command. */
const LONGEST_WAIT_MS = 20_000;
const SWEEPER_TIMEOUT_MS = 240_000;
const MESSAGES_PER_RECEIVE = 10;

type Ports = ReturnType<OrderWorld['portsOf']>;

/** The functions for order commands, the operator's routes that queue them, and the sweeper. */
export class OrderFunctions {
  readonly commands: MessageQueue;
  readonly #world: OrderWorld;
  readonly #invoker: Invoker;

  constructor(world: OrderWorld) {
    this.#world = world;
    this.#invoker = new Invoker(world.simulation);
    this.commands = new MessageQueue(world.simulation, {
      name: 'order commands',
      batchSize: MESSAGES_PER_RECEIVE,
      concurrency: 4,
      visibilityTimeoutMs: 6 * PRODUCER_TIMEOUT_MS,
      deliver: (messages, done) => this.#perform(messages, done),
    });
  }

  get isIdle(): boolean {
    return this.#invoker.isIdle && this.commands.isEmpty;
  }

  /** As `GET /stores/{storeClientId}/orders/unknown` does. */
  list(storeClientId: string, onListed: (orders: readonly OrderRecord[]) => void): void {
    this.#serve('operator lists', async (ports) => {
      const { orders } = await ports.orders.listUnknown(storeClientId, { now: ports.clock.now() });
      onListed(orders);
    });
  }

  /** As `POST /stores/{storeClientId}/orders/retry` does. */
  retry(unknown: UnknownAction): void {
    this.#serve('operator retries', async (ports) => {
      const { storeClientId, reference, action } = unknown;
      const { simulation, sends } = this.#world;
      const commandId = simulation.newId('api-retry');
      const order = await ports.orders.get(storeClientId, orderKeyOf(reference));
      const item = order && retryOfOrder(order, unknown, ports.clock.now());
      if (item === undefined) return;
      sends.onGiven({ commandId, retry: true });
      const detailType = `order.${action}.requested` as const;
      const detail = { storeClientId, items: [item], retry: true };
      const body = writeIncomingEvent({ id: commandId, time: ports.clock.now(), detailType, detail });
      await ports.commandQueue.sendLater(body, 0);
      const command = { storeClientId, commandId, detailType };
      const end = await awaitCommand(ports, command, ports.clock.now() + LONGEST_WAIT_MS);
      if (!('requests' in end)) return;
      for (const outcome of commandOutcomes(commandId, [item], end))
        checkAnsweredRetry(this.#world, unknown, commandId, outcome);
    });
  }

  /** As `POST /stores/{storeClientId}/orders/resolve` does; the outcome is that at the marketplace. */
  resolve(unknown: UnknownAction): void {
    this.#serve('operator resolves', async (ports) => {
      const { storeClientId, reference, action } = unknown;
      const record = await ports.orders.get(storeClientId, orderKeyOf(reference));
      const booked = this.#world.book.find(storeClientId, reference);
      if (booked === undefined || record === undefined || this.#mayStillLand(storeClientId)) return;
      const isDone =
        action === 'dropoff'
          ? booked.dropoffs > 0
          : booked.decisions.includes(record.decision?.decision ?? 'accept');
      if (!isDone) this.#world.sends.onCleared(booked, action);
      await resolveOrder(ports, unknown, isDone ? 'accepted' : 'rejected');
    });
  }

  /** As the sweeper does for requests that are no longer redelivered. */
  sweep(): void {
    this.#invoker.invoke({
      name: 'sweeper',
      timeoutMs: SWEEPER_TIMEOUT_MS,
      run: async (process) => {
        const ports = this.#world.portsOf(process, this.commands);
        const domainOf = () => ({ apply: (record: RequestRecord) => applyOrders(ports, record) });
        const onFailure = (error: unknown) => this.#world.simulation.note(process.name, () => `${error}`);
        await sweepRequests({ ...ports, domainOf }, { signal: new AbortController().signal, onFailure });
      },
    });
  }

  /** Whether a request of an order may still be in flight, so that its outcome can't be known. */
  #mayStillLand(storeClientId: string): boolean {
    const { network, simulation } = this.#world;
    return network.exchanges.some(
      (exchange) => exchange.storeClientId === storeClientId && exchange.mayLandUntil >= simulation.now,
    );
  }

  #perform(messages: readonly QueuedMessage[], done: (failed: readonly string[]) => void): Delivery {
    return this.#invoker.invoke({
      name: 'order-producer',
      timeoutMs: PRODUCER_TIMEOUT_MS,
      run: async (process) => {
        const ports = this.#world.portsOf(process, this.commands);
        const stopAt = ports.clock.now() + this.#world.settings.beginRequestsMs;
        const time = new RequestTime(ports.clock, stopAt);
        const received = await receiveCommands(ports, createOrderDomain(ports), messages, time);
        const { simulation } = this.#world;
        for (const { error } of received.failures) simulation.note(process.name, () => `fails: ${error}`);
        simulation.note(process.name, () => JSON.stringify(received.deferred));
        done(received.failures.map(({ messageId }) => messageId));
      },
      onFailed: () => done(messages.map(({ messageId }) => messageId)),
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

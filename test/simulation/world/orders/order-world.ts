import { inMemoryAttemptTable } from '../../../doubles/in-memory-attempt-table.ts';
import { inMemoryBatchTable } from '../../../doubles/in-memory-batch-table.ts';
import { inMemoryCommandTable } from '../../../doubles/in-memory-command-table.ts';
import { inMemoryEventPublisher } from '../../../doubles/in-memory-event-publisher.ts';
import { inMemoryOrderTable } from '../../../doubles/in-memory-order-table.ts';
import { inMemoryRejectionTable } from '../../../doubles/in-memory-rejection-table.ts';
import { inMemoryStoreTable } from '../../../doubles/in-memory-store-table.ts';
import { OrderSends } from '../../checks/orders/order-sends.ts';
import type { SimulatedProcess } from '../../engine/simulated-process.ts';
import type { Simulation } from '../../engine/simulation.ts';
import { callerOf } from '../caller.ts';
import type { MessageQueue } from '../message-queue.ts';
import { ATTEMPT_LIFETIME_MS, Network } from '../network.ts';
import { PartnerSecret } from '../partner-secret.ts';
import { OrderBook } from './order-book.ts';
import { OrderMarketplace } from './order-marketplace.ts';
import { OrderTables } from './order-tables.ts';

/** Everything outside the code that handles orders, with those who look on and judge. */
export class OrderWorld {
  readonly simulation: Simulation;
  readonly settings;
  readonly book: OrderBook;
  readonly tables: OrderTables;
  readonly secret = new PartnerSecret();
  readonly marketplace: OrderMarketplace;
  readonly sends: OrderSends;
  readonly network: Network;

  constructor(simulation: Simulation) {
    this.simulation = simulation;
    const { random } = simulation;
    this.settings = {
      itemsPerRequest: random.integer(1, 4),
      attemptLifetimeMs: ATTEMPT_LIFETIME_MS,
      requestTimeoutMs: 20_000,
      batchDeadlineMs: 900_000,
      requestsPerSecond: 5,
      requestsInFlight: random.pick([2, 5]),
      /** Time in which a delivery begins requests: as deployed, or so little that long commands take several. */
      beginRequestsMs: random.pick([50_000, 1_000, 0]),
    };
    this.book = new OrderBook(random);
    this.marketplace = new OrderMarketplace(simulation, this.book);
    this.sends = new OrderSends(simulation, this.book, this.marketplace);
    this.tables = new OrderTables((before, after) => this.sends.onWritten(before, after));
    this.network = new Network(simulation, {
      marketplace: this.marketplace,
      events: { onSent: (exchange) => this.sends.onSent(exchange), onLanded: () => {} },
    });
    const at = new Date(simulation.now).toISOString();
    for (const { storeClientId, storeToken } of this.book.stores) {
      const times = { connectedAt: at, updatedAt: at };
      this.tables.stores.set(storeClientId, {
        storeClientId,
        storeToken,
        state: 'connected',
        names: { products: 'sku', orders: 'orderId' },
        ...times,
      });
    }
  }

  /** Everything that one process reaches the world through. */
  portsOf(process: SimulatedProcess, commands: MessageQueue) {
    const { tables, settings } = this;
    const { step } = process;
    const { own, client } = callerOf(this, process);
    return {
      ...own,
      calls: client,
      orders: inMemoryOrderTable(step, tables.orders),
      stores: inMemoryStoreTable(step, tables.stores),
      attempts: inMemoryAttemptTable(step, tables.attempts),
      batches: inMemoryBatchTable(step, tables.batches),
      commands: inMemoryCommandTable(step, tables.commands),
      rejections: inMemoryRejectionTable(step, tables.rejections),
      events: inMemoryEventPublisher(step, tables.events),
      again: {
        sendLater: (body: string, delayMs: number) =>
          step('commands.send', () => commands.send(body, delayMs)),
      },
      itemsPerRequest: settings.itemsPerRequest,
      batchDeadlineMs: settings.batchDeadlineMs,
    };
  }
}

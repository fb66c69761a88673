import { inMemoryBatchTable } from '../../../doubles/in-memory-batch-table.ts';
import { inMemoryEventPublisher } from '../../../doubles/in-memory-event-publisher.ts';
import { inMemoryOrderTable } from '../../../doubles/in-memory-order-table.ts';
import { inMemoryRejectionTable } from '../../../doubles/in-memory-rejection-table.ts';
import { inMemoryRequestArchive } from '../../../doubles/in-memory-request-archive.ts';
import { inMemoryRequestTable } from '../../../doubles/in-memory-request-table.ts';
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

/** Everything outside the code for orders, with the checks. */
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
      attemptLifetimeMs: ATTEMPT_LIFETIME_MS,
      requestTimeoutMs: 20_000,
      batchDeadlineMs: 900_000,
      requestsPerSecond: 5,
      requestsInFlight: random.pick([2, 5]),
      /** Time in which a delivery begins requests: as deployed, or so short that long commands need several. */
      beginRequestsMs: random.pick([50_000, 1_000, 0]),
    };
    this.book = new OrderBook(random);
    this.marketplace = new OrderMarketplace(simulation, this.book);
    this.tables = new OrderTables((before, after) => this.sends.onWritten(before, after));
    this.sends = new OrderSends(simulation, this);
    this.network = new Network(simulation, {
      marketplace: this.marketplace,
      events: { onSent: (exchange) => this.sends.onSent(exchange), onLanded: () => {} },
    });
    const at = new Date(simulation.now).toISOString();
    for (const store of this.book.stores) {
      const { storeClientId } = store;
      this.tables.stores.set(storeClientId, { ...store, state: 'connected', connectedAt: at, updatedAt: at });
    }
    simulation.faults.force('skipped orders are not named', random.pick([0, 0, 0.3]));
  }

  /** The ports of one process. */
  portsOf(process: SimulatedProcess, commands: MessageQueue) {
    const { tables, settings } = this;
    const { step } = process;
    this.sends.onBegun(process);
    const { own, limiter, secretKey, client } = callerOf(this, process);
    return {
      ...own,
      calls: client,
      orders: inMemoryOrderTable(step, tables.orders),
      stores: inMemoryStoreTable(step, tables.stores),
      requests: inMemoryRequestTable(step, tables.requests, tables.plans),
      archive: inMemoryRequestArchive(step, tables.archive),
      batches: inMemoryBatchTable(step, tables.batches),
      rejections: inMemoryRejectionTable(step, tables.rejections),
      events: inMemoryEventPublisher(step, tables.events),
      limiter,
      secretKey,
      commandQueue: {
        sendLater: (body: string, delayMs: number) =>
          step('commands.send', () => commands.send(body, delayMs)),
      },
      // A deployment may change it between two deliveries of a command.
      itemsPerRequest: this.simulation.random.integer(1, 4),
      attemptLifetimeMs: settings.attemptLifetimeMs,
      batchDeadlineMs: settings.batchDeadlineMs,
    };
  }
}

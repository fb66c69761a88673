import { createDocumentDomain } from '../../../../shared/documents/document-domain.ts';
import type { OutgoingEvent } from '../../../../shared/events/outgoing.ts';
import type { Limit } from '../../../../shared/limits/model.ts';
import type { OrderRecord } from '../../../../shared/orders/model.ts';
import type { Rejection } from '../../../../shared/rejections/model.ts';
import type { CommandPlan, LockRecord, RequestRecord } from '../../../../shared/requests/model.ts';
import type { LockTable } from '../../../../shared/requests/ports.ts';
import { isOpen } from '../../../../shared/requests/rules/states.ts';
import { receiveCommands } from '../../../../shared/requests/use-cases/receive-commands.ts';
import { sweepRequests } from '../../../../shared/requests/use-cases/sweep.ts';
import type { Store } from '../../../../shared/stores/model.ts';
import { type HeldDocument, inMemoryDocumentBucket } from '../../../doubles/in-memory-document-bucket.ts';
import { inMemoryEventPublisher } from '../../../doubles/in-memory-event-publisher.ts';
import { inMemoryOrderTable } from '../../../doubles/in-memory-order-table.ts';
import { inMemoryRejectionTable } from '../../../doubles/in-memory-rejection-table.ts';
import { inMemoryRequestArchive } from '../../../doubles/in-memory-request-archive.ts';
import { inMemoryLockTable, inMemoryRequestTable } from '../../../doubles/in-memory-request-table.ts';
import { inMemoryStoreTable } from '../../../doubles/in-memory-store-table.ts';
import { VersionedItems } from '../../../doubles/versioned-items.ts';
import type { SimulatedProcess } from '../../engine/simulated-process.ts';
import type { Simulation } from '../../engine/simulation.ts';
import { callerOf } from '../caller.ts';
import { Invoker } from '../invoker.ts';
import { type Delivery, MessageQueue, type QueuedMessage } from '../message-queue.ts';
import { ATTEMPT_LIFETIME_MS, type Exchange } from '../network.ts';
import { PartnerSecret } from '../partner-secret.ts';
import { DocumentMarketplace, wantedOf } from './document-marketplace.ts';
import { DocumentNetwork } from './document-network.ts';
import { type DocumentOrder, drawOrders } from './document-orders.ts';

/** The timeout of the function, as in the stack. */
const FETCHER_TIMEOUT_MS = 60_000;
/** Milliseconds by which the clocks of two functions may differ. */
const CLOCK_MARGIN_MS = 1_000;

export const STORE = { storeClientId: 'store:0', storeToken: 'token-0' };

/** The expected key of a document. */
export function keyOf(orderId: string, document: string): string {
  return `documents/store!3A0/${orderId}/${document}.pdf`;
}

/** The timeout of the sweeper, and its interval. */
const SWEEPER_TIMEOUT_MS = 240_000;
const SWEEP_INTERVAL_MS = 300_000;

/** The state of documents that all processes share and that survives crashes. */
class DocumentTables {
  readonly limits = new Map<string, Limit>();
  readonly orders = new VersionedItems<OrderRecord>();
  readonly requests = new VersionedItems<RequestRecord>();
  readonly plans = new VersionedItems<CommandPlan>();
  readonly locks = new VersionedItems<LockRecord>();
  readonly archive = new Map<string, readonly unknown[]>();
  readonly stores = new Map<string, Store>();
  readonly rejections = new Map<string, Rejection>();
  readonly documents = new Map<string, HeldDocument>();
  readonly events: OutgoingEvent[] = [];
}

/** The current work of a process. */
interface Beginning {
  readonly commandId: string;
  /** Whether it fetches with refresh. */
  readonly refresh: boolean;
}

/** The function that fetches documents, its queue, and everything around them. */
export class DocumentWorld {
  readonly simulation: Simulation;
  readonly settings = {
    attemptLifetimeMs: ATTEMPT_LIFETIME_MS,
    requestTimeoutMs: 20_000,
    requestsPerSecond: 5,
    requestsInFlight: 5,
  };
  readonly waitForStateMs: number;
  readonly orders: readonly DocumentOrder[];
  readonly tables = new DocumentTables();
  readonly secret = new PartnerSecret();
  readonly marketplace: DocumentMarketplace;
  readonly network: DocumentNetwork;
  readonly commands: MessageQueue;
  readonly #invoker: Invoker;
  readonly #beginnings = new WeakMap<SimulatedProcess, Beginning>();
  readonly #failedAtLocks = new WeakSet<SimulatedProcess>();

  constructor(simulation: Simulation, troubleMs: number) {
    const { random, now } = simulation;
    this.simulation = simulation;
    this.waitForStateMs = random.pick([0, 120_000, 600_000]);
    this.orders = drawOrders(random, now, troubleMs);
    this.marketplace = new DocumentMarketplace(simulation, [STORE], this.orders);
    this.network = new DocumentNetwork(simulation, {
      marketplace: this.marketplace,
      events: {
        onSent: (exchange) => this.#checkSent(exchange),
        onLanded: () => {},
      },
    });
    const at = new Date(now).toISOString();
    this.tables.stores.set(STORE.storeClientId, {
      ...STORE,
      state: 'connected',
      names: { products: 'sku', orders: 'orderId' },
      connectedAt: at,
      updatedAt: at,
    });
    this.#invoker = new Invoker(simulation);
    this.commands = new MessageQueue(simulation, {
      name: 'document commands',
      batchSize: 1,
      concurrency: 4,
      visibilityTimeoutMs: 6 * FETCHER_TIMEOUT_MS,
      ...(random.chance(0.3) && { maxReceives: random.integer(1, 4) }),
      deliver: ([message], done) => this.#perform(message, done),
    });
  }

  get isIdle(): boolean {
    return this.#invoker.isIdle && this.commands.isEmpty && !this.tables.requests.all().some(isOpen);
  }

  #perform(message: QueuedMessage | undefined, done: (failed: readonly string[]) => void): Delivery {
    const all = message === undefined ? [] : [message.messageId];
    return this.#invoker.invoke({
      name: 'document-fetcher',
      timeoutMs: FETCHER_TIMEOUT_MS,
      run: async (process) => {
        if (message === undefined) return done([]);
        const { commandId, refresh = false } = JSON.parse(message.body).detail;
        this.#beginnings.set(process, { commandId, refresh });
        const ports = this.#portsOf(process);
        const received = await receiveCommands(ports, createDocumentDomain(ports), [message]);
        this.simulation.note(process.name, () => JSON.stringify(received));
        if (received.failures.length === 0) this.#checkLocks(process);
        done(received.failures.map(({ messageId }) => messageId));
      },
      onFailed: () => done(all),
    });
  }

  /** Ends requests that are no longer redelivered, every five minutes. */
  startSweeps(): void {
    const { simulation } = this;
    simulation.scheduler.after(SWEEP_INTERVAL_MS, () => {
      this.#invoker.invoke({
        name: 'sweeper',
        timeoutMs: SWEEPER_TIMEOUT_MS,
        run: async (process) => {
          const ports = this.#portsOf(process);
          await sweepRequests(
            { ...ports, domainOf: () => createDocumentDomain(ports) },
            {
              signal: new AbortController().signal,
              onFailure: (error) =>
                simulation.note(process.name, () => `a part of the sweep failed: ${error}`),
            },
          );
        },
      });
      this.startSweeps();
    });
  }

  /** A stored document is not fetched again, unless another command requests it, and no document is fetched twice at a time. */
  #checkSent({ process, request }: Exchange): void {
    const { orderId, document } = wantedOf(request);
    const name = `documents: the ${document} of ${orderId}`;
    const { commandId, refresh } = this.#beginnings.get(process) ?? {};
    const stored = this.tables.documents.get(keyOf(orderId, document));
    if (stored !== undefined && (!refresh || stored.commandId === commandId)) {
      this.simulation.violate(`${name} is stored and fetched again`);
    }
    const isTwice = this.network.fetches.some((other) => {
      const wanted = wantedOf(other.request);
      return wanted.orderId === orderId && wanted.document === document;
    });
    if (isTwice) this.simulation.violate(`${name} is fetched twice at a time`);
  }

  /** A delivery that has ended holds no lock of a document, unless a table failed. */
  #checkLocks(process: SimulatedProcess): void {
    if (this.#failedAtLocks.has(process)) return;
    const isHeld = this.tables.locks.all().some(({ lock }) => lock?.holder.startsWith(`${process.name}-`));
    if (isHeld) this.simulation.violate(`documents: ${process.name} has ended and keeps its lock`);
  }

  #locksOf(process: SimulatedProcess): LockTable {
    const table = inMemoryLockTable(process.step, this.tables.locks);
    return {
      update: (thing, change) =>
        table.update(thing, change).catch((error: unknown) => {
          this.#failedAtLocks.add(process);
          throw error;
        }),
    };
  }

  #portsOf(process: SimulatedProcess) {
    const { tables } = this;
    const { step } = process;
    const { own, limiter, secretKey, client } = callerOf(this, process);
    return {
      ...own,
      calls: client,
      stores: inMemoryStoreTable(step, tables.stores),
      requests: inMemoryRequestTable(step, tables.requests, tables.plans),
      archive: inMemoryRequestArchive(step, tables.archive),
      attemptLifetimeMs: this.settings.attemptLifetimeMs + CLOCK_MARGIN_MS,
      orders: inMemoryOrderTable(step, tables.orders),
      rejections: inMemoryRejectionTable(step, tables.rejections),
      events: inMemoryEventPublisher(step, tables.events),
      documents: inMemoryDocumentBucket(step, tables.documents),
      locks: this.#locksOf(process),
      limiter,
      secretKey,
      commandQueue: {
        sendLater: (body: string, delayMs: number) =>
          step('commands.send', () => this.commands.send(body, delayMs)),
      },
      waitForStateMs: this.waitForStateMs,
    };
  }
}

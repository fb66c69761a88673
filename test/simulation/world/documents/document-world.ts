import type { CommandStep } from '../../../../shared/commands/model.ts';
import type { DocumentClaim } from '../../../../shared/documents/model.ts';
import type { DocumentClaimTable } from '../../../../shared/documents/ports.ts';
import { performDocumentCommand } from '../../../../shared/documents/use-cases/perform-document-command.ts';
import type { OutgoingEvent } from '../../../../shared/events/outgoing.ts';
import type { Limit } from '../../../../shared/limits/model.ts';
import type { OrderRecord } from '../../../../shared/orders/model.ts';
import type { Rejection } from '../../../../shared/rejections/model.ts';
import type { Store } from '../../../../shared/stores/model.ts';
import { inMemoryCommandTable } from '../../../doubles/in-memory-command-table.ts';
import { type HeldDocument, inMemoryDocumentBucket } from '../../../doubles/in-memory-document-bucket.ts';
import { inMemoryDocumentClaimTable } from '../../../doubles/in-memory-document-claim-table.ts';
import { inMemoryEventPublisher } from '../../../doubles/in-memory-event-publisher.ts';
import { inMemoryOrderTable } from '../../../doubles/in-memory-order-table.ts';
import { inMemoryRejectionTable } from '../../../doubles/in-memory-rejection-table.ts';
import { inMemoryStoreTable } from '../../../doubles/in-memory-store-table.ts';
import { VersionedItems } from '../../../doubles/versioned-items.ts';
import type { SimulatedProcess } from '../../engine/simulated-process.ts';
import type { Simulation } from '../../engine/simulation.ts';
import { callerOf } from '../caller.ts';
import { Invoker } from '../invoker.ts';
import { type Delivery, MessageQueue, type QueuedMessage } from '../message-queue.ts';
import { ATTEMPT_LIFETIME_MS, type Exchange } from '../network.ts';
import { PartnerSecret } from '../partner-secret.ts';
import { WatchedItems } from '../watched-items.ts';
import { DocumentMarketplace, wantedOf } from './document-marketplace.ts';
import { DocumentNetwork } from './document-network.ts';
import { type DocumentOrder, drawOrders } from './document-orders.ts';

/** The function's own time, as the stack sets it. */
const FETCHER_TIMEOUT_MS = 60_000;

export const STORE = { storeClientId: 'store-0', storeToken: 'token-0' };

/** What all processes share that fetch documents, and no crash takes away. */
class DocumentTables {
  readonly limits = new VersionedItems<Limit>();
  readonly orders = new VersionedItems<OrderRecord>();
  readonly commands: VersionedItems<CommandStep>;
  readonly stores = new Map<string, Store>();
  readonly rejections = new Map<string, Rejection>();
  readonly documents = new Map<string, HeldDocument>();
  readonly documentClaims = new VersionedItems<DocumentClaim>();
  readonly events: OutgoingEvent[] = [];

  constructor(onStepWritten: (before: CommandStep | undefined, after: CommandStep) => void) {
    this.commands = new WatchedItems((_, after, before) => onStepWritten(before, after));
  }
}

/** What a process does. */
interface Beginning {
  readonly commandId: string;
  /** Whether it is to fetch a document anew. */
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
  readonly tables = new DocumentTables((before, after) => this.#checkStep(before, after));
  readonly secret = new PartnerSecret();
  readonly marketplace: DocumentMarketplace;
  readonly network: DocumentNetwork;
  readonly commands: MessageQueue;
  readonly #invoker: Invoker;
  readonly #beginnings = new WeakMap<SimulatedProcess, Beginning>();
  readonly #running = new Set<SimulatedProcess>();
  readonly #failedAtClaims = new WeakSet<SimulatedProcess>();

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
      deliver: ([message], done) => this.#perform(message, done),
    });
  }

  get isIdle(): boolean {
    return this.#invoker.isIdle && this.commands.isEmpty;
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
        this.#running.add(process);
        const result = await performDocumentCommand(this.#portsOf(process), message);
        this.simulation.note(process.name, () => JSON.stringify(result));
        this.#checkClaims(process);
        done([]);
      },
      onFailed: () => done(all),
    });
  }

  /** A document that is there is not made again, unless somebody else asks for it; nor is one made twice at a time. */
  #checkSent({ process, request }: Exchange): void {
    const { orderId, document } = wantedOf(request);
    const name = `documents: the ${document} of ${orderId}`;
    const { commandId, refresh } = this.#beginnings.get(process) ?? {};
    const stored = this.tables.documents.get(`documents/${STORE.storeClientId}/${orderId}/${document}.pdf`);
    if (stored !== undefined && (!refresh || stored.commandId === commandId)) {
      this.simulation.violate(`${name} is stored and fetched again`);
    }
    const isTwice = this.network.fetches.some((other) => {
      const wanted = wantedOf(other.request);
      return wanted.orderId === orderId && wanted.document === document;
    });
    if (isTwice) this.simulation.violate(`${name} is fetched twice at a time`);
  }

  /** A command is not begun while another delivery of it is at work. */
  #checkStep(before: CommandStep | undefined, after: CommandStep): void {
    if (before?.state !== 'sending' || after.attemptId === before.attemptId) return;
    const isAtWork = [...this.#running].some(
      ({ name, alive }) => alive && before.attemptId.startsWith(`${name}-`),
    );
    if (isAtWork)
      this.simulation.violate(`documents: ${after.commandId} is done by two deliveries at a time`);
  }

  /** Who has done keeps nobody waiting, unless a table failed. */
  #checkClaims(process: SimulatedProcess): void {
    if (this.#failedAtClaims.has(process)) return;
    const isHeld = this.tables.documentClaims
      .all()
      .some(({ holder }) => holder?.startsWith(`${process.name}-`));
    if (isHeld) this.simulation.violate(`documents: ${process.name} has done and keeps its claim`);
  }

  #claimsOf(process: SimulatedProcess): DocumentClaimTable {
    const table = inMemoryDocumentClaimTable(process.step, this.tables.documentClaims);
    return {
      update: (key, change) =>
        table.update(key, change).catch((error) => {
          this.#failedAtClaims.add(process);
          throw error;
        }),
    };
  }

  #portsOf(process: SimulatedProcess) {
    const { tables } = this;
    const { step } = process;
    const { own, client } = callerOf(this, process);
    return {
      ...own,
      calls: client,
      stores: inMemoryStoreTable(step, tables.stores),
      commands: inMemoryCommandTable(step, tables.commands),
      orders: inMemoryOrderTable(step, tables.orders),
      rejections: inMemoryRejectionTable(step, tables.rejections),
      events: inMemoryEventPublisher(step, tables.events),
      documents: inMemoryDocumentBucket(step, tables.documents),
      documentClaims: this.#claimsOf(process),
      again: {
        sendLater: (body: string, delayMs: number) =>
          step('commands.send', () => this.commands.send(body, delayMs)),
      },
      waitForStateMs: this.waitForStateMs,
    };
  }
}

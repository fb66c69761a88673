import { receivedSummarySchema } from '../../../../shared/batches/model.ts';
import { processSummary } from '../../../../shared/batches/use-cases/process-summary.ts';
import { receiveSummary } from '../../../../shared/batches/use-cases/receive-summary.ts';
import { type FailedRowScope, retryBatch } from '../../../../shared/batches/use-cases/retry-batch.ts';
import { importMessageSchema } from '../../../../shared/imports/import-message.ts';
import { followRows } from '../../../../shared/imports/use-cases/follow-rows.ts';
import { continueFull } from '../../../../shared/imports/use-cases/full-file.ts';
import { importFile } from '../../../../shared/imports/use-cases/import-file.ts';
import { discardImport, releaseImport } from '../../../../shared/imports/use-cases/operate-import.ts';
import type { ReceivedWebhook } from '../../../../shared/marketplace/webhooks/verification.ts';
import { createProductDomain } from '../../../../shared/products/product-domain.ts';
import { receiveCommands } from '../../../../shared/requests/use-cases/receive-commands.ts';
import { RequestTime } from '../../../../shared/requests/use-cases/run-request.ts';
import { sweep } from '../../../../shared/requests/use-cases/sweep.ts';
import type { SimulatedProcess } from '../../engine/simulated-process.ts';
import { Functions } from '../functions.ts';
import { Invoker, isProgrammingError } from '../invoker.ts';
import { type Delivery, MessageQueue, type QueuedMessage } from '../message-queue.ts';
import { batchPortsOf, type ProductPorts, productPortsOf, summaryPortsOf } from './product-ports.ts';
import type { ProductWorld } from './product-world.ts';

const TIMEOUT_MS = 60_000;
const PRODUCER_TIMEOUTS_MS = [60_000, 120_000] as const;
const VISIBILITY_TIMEOUT_MS = 150_000;
/** Time after which an import leaves the rest of its file to another invocation. */
const IMPORT_TIMES_MS = [0, 1_000] as const;
/** Files have a few rows here. */
const ROWS_PER_SECTION = 2;
/** Commands that are received together. */
const RECEIVED_TOGETHER = 10;
/** Time that the sweeper reserves to record results. */
const SETTLING_MS = 20_000;
const REPLAY_WINDOW_MS = 300_000;

interface QueueFunction {
  readonly name: string;
  readonly timeoutMs: () => number;
  readonly maxReceives?: number;
  /** Default: 1. */
  readonly batchSize?: number;
  /** Returns the messages to redeliver. */
  readonly take: (
    ports: ProductPorts,
    messages: readonly [QueuedMessage, ...QueuedMessage[]],
    process: SimulatedProcess,
  ) => Promise<readonly string[]>;
}

/** The functions for products, batches and summaries, with those for stock and prices. */
export class ProductFunctions {
  readonly commands: MessageQueue;
  readonly imports: MessageQueue;
  readonly summaries: MessageQueue;
  readonly listings: Functions;
  readonly #world: ProductWorld;
  readonly #invoker: Invoker;

  constructor(world: ProductWorld) {
    this.#world = world;
    const { simulation, settings, network } = world;
    this.#invoker = new Invoker(simulation);
    this.listings = new Functions({
      simulation,
      settings,
      network,
      portsOf: (process) => this.#portsOf(process),
    });
    this.commands = this.#queue({
      name: 'product',
      timeoutMs: () => simulation.random.pick(PRODUCER_TIMEOUTS_MS),
      maxReceives: settings.maxReceives,
      batchSize: RECEIVED_TOGETHER,
      take: (ports, messages, process) => this.#perform(ports, messages, process),
    });
    this.imports = this.#queue({
      name: 'importer',
      timeoutMs: () => TIMEOUT_MS,
      take: async (ports, [{ body }], { step }) => {
        const message = importMessageSchema.parse(JSON.parse(body));
        // Often so little that it is over behind the first section.
        const stopAt = ports.clock.now() + simulation.random.pick(IMPORT_TIMES_MS);
        if ('importId' in message) {
          const { importId, isFollowed, isReleased } = message;
          if (isFollowed) await followRows(ports, importId, stopAt);
          else await continueFull(ports, importId, { stopAt, isReleased });
          return [];
        }
        await importFile(ports, message, {
          stopAt,
          endsAt: ports.clock.now() + TIMEOUT_MS,
          goOn: (delayMs) => step('imports.send', () => this.imports.send(body, delayMs)),
          rowsPerSection: ROWS_PER_SECTION,
        });
        return [];
      },
    });
    this.summaries = this.#queue({
      name: 'summaries',
      timeoutMs: () => TIMEOUT_MS,
      take: async (ports, [{ body }], process) => {
        await processSummary(
          summaryPortsOf(this.#world, process, ports),
          receivedSummarySchema.parse(JSON.parse(body)),
        );
        return [];
      },
    });
    world.marketplace.syncs.receiver = (webhook, onAnswer) => this.#receive(webhook, onAnswer);
  }

  get isIdle(): boolean {
    const queues = [this.commands, this.imports, this.summaries];
    return this.#invoker.isIdle && this.listings.isIdle && queues.every((queue) => queue.isEmpty);
  }

  /** An operator retries failed rows of a batch. */
  retry(batchId: string, scope: FailedRowScope): void {
    this.#world.retries.onAsked(batchId, scope);
    this.#invoker.invoke({
      name: 'operator',
      timeoutMs: TIMEOUT_MS,
      run: async (process) => {
        const { commandId } = await retryBatch(batchPortsOf(this.#portsOf(process)), batchId, scope);
        this.#world.simulation.note(process.name, () => `has given ${commandId}`);
      },
    });
  }

  /** An operator looks at a page of a store's live products. */
  readProducts(storeClientId: string): void {
    this.#invoker.invoke({
      name: 'operator',
      timeoutMs: TIMEOUT_MS,
      run: async (process) => {
        const { stores, calls } = this.#portsOf(process);
        const store = await stores.get(storeClientId);
        if (store !== undefined) await calls.listProducts(store, { page: 1, limit: 50 });
      },
    });
  }

  /** An operator ends the hold of a file. */
  endHold(importId: string, what: 'release' | 'discard'): void {
    this.#invoker.invoke({
      name: 'operator',
      timeoutMs: TIMEOUT_MS,
      run: async (process) => {
        const end = what === 'release' ? releaseImport : discardImport;
        await end(this.#portsOf(process), importId);
      },
    });
  }

  /** Commands that ended in the dead-letter queue. */
  deadCommands(): Set<string> {
    return new Set(this.commands.dead.map(({ body }) => commandIdOf(body)));
  }

  /** Wakes the lanes every minute, and sweeps the batches. */
  startSchedules(): void {
    this.listings.startSchedule();
    this.#startSweeps();
  }

  #startSweeps(): void {
    const { simulation, settings } = this.#world;
    simulation.scheduler.after(settings.sweepIntervalMs, () => {
      this.#invoker.invoke({
        name: 'sweeper',
        timeoutMs: TIMEOUT_MS,
        run: async (process) => {
          const outOfTime = new AbortController();
          process.later(TIMEOUT_MS - SETTLING_MS, () => outOfTime.abort(new Error('out of time')));
          const ports = this.#portsOf(process);
          const domain = createProductDomain(ports);
          const sweepPorts = { ...batchPortsOf(ports), domainOf: () => domain };
          const report = await sweep(sweepPorts, {
            ...settings,
            signal: outOfTime.signal,
            onFailure: (error) => simulation.note(process.name, () => `a part of the sweep failed: ${error}`),
          });
          simulation.note(process.name, () => JSON.stringify(report));
        },
      });
      this.#startSweeps();
    });
  }

  async #perform(
    ports: ProductPorts,
    messages: readonly QueuedMessage[],
    process: SimulatedProcess,
  ): Promise<readonly string[]> {
    const { requestTimes, settings, simulation } = this.#world;
    requestTimes.onBegun(process, settings.beginRequestsMs);
    const time = new RequestTime(ports.clock, ports.clock.now() + settings.beginRequestsMs);
    const result = await receiveCommands(ports, createProductDomain(ports), messages, time);
    const failures = result.failures.map(({ error }) => String(error));
    simulation.note(process.name, () => JSON.stringify({ ...result, failures }));
    for (const { error } of result.failures) if (isProgrammingError(error)) throw error;
    return result.failures.map(({ messageId }) => messageId);
  }

  #receive(webhook: ReceivedWebhook, onAnswer: (isTaken: boolean) => void): void {
    const settings = { schemes: ['marketplace-hmac'] as const, replayWindowMs: REPLAY_WINDOW_MS };
    this.#invoker
      .invoke({
        name: 'receiver',
        timeoutMs: TIMEOUT_MS,
        run: async (process) => {
          onAnswer(
            (
              await receiveSummary(
                summaryPortsOf(this.#world, process, this.#portsOf(process)),
                settings,
                webhook,
              )
            ).accepted,
          );
        },
        onFailed: () => onAnswer(false),
      })
      .onDeath(() => onAnswer(false));
  }

  #queue({ name, timeoutMs, maxReceives, batchSize = 1, take }: QueueFunction): MessageQueue {
    return new MessageQueue(this.#world.simulation, {
      name: `${name} queue`,
      batchSize,
      concurrency: 3,
      visibilityTimeoutMs: VISIBILITY_TIMEOUT_MS,
      ...(maxReceives !== undefined && { maxReceives }),
      deliver: (messages, done): Delivery =>
        this.#invoker.invoke({
          name,
          timeoutMs: timeoutMs(),
          run: async (process) => {
            const [first, ...others] = messages;
            done(first === undefined ? [] : await take(this.#portsOf(process), [first, ...others], process));
          },
          onFailed: () => done(messages.map(({ messageId }) => messageId)),
        }),
    });
  }

  #portsOf(process: SimulatedProcess): ProductPorts {
    const { commands, imports, summaries, listings } = this;
    const { changes, wake } = listings;
    return productPortsOf(this.#world, process, { commands, imports, summaries, changes, wake });
  }
}

function commandIdOf(body: string): string {
  const { id, detail } = JSON.parse(body);
  return detail?.commandId ?? id;
}

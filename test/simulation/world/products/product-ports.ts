import { Readable } from 'node:stream';
import {
  createFileRowQueue,
  createImportQueue,
  createListingChangeQueue,
} from '../../../../shared/aws/event-queues.ts';
import { createCommandQueue, type QueueSender } from '../../../../shared/aws/queue-sender.ts';
import type { BatchRecord, ReceivedSummary } from '../../../../shared/batches/model.ts';
import { recordingReads } from '../../../../shared/listings/use-cases/recording-reads.ts';
import { batchEndPorts } from '../../../../shared/products/batch-ends.ts';
import { queueCreatedOfBatch } from '../../../../shared/products/created-products.ts';
import type { RequestTable } from '../../../../shared/requests/ports.ts';
import { inMemoryBatchTable } from '../../../doubles/in-memory-batch-table.ts';
import { inMemoryChangeEventTable } from '../../../doubles/in-memory-change-event-table.ts';
import { inMemoryEventPublisher } from '../../../doubles/in-memory-event-publisher.ts';
import { inMemoryFileReceiptTable } from '../../../doubles/in-memory-file-receipt-table.ts';
import { inMemoryGuardTable } from '../../../doubles/in-memory-guard-table.ts';
import { inMemoryImportReports } from '../../../doubles/in-memory-import-reports.ts';
import { inMemoryImportTable } from '../../../doubles/in-memory-import-table.ts';
import { inMemoryLaneTable } from '../../../doubles/in-memory-lane-table.ts';
import { inMemoryListingTable } from '../../../doubles/in-memory-listing-table.ts';
import { inMemoryReadingPlaces } from '../../../doubles/in-memory-reading-places.ts';
import { inMemoryRejectionTable } from '../../../doubles/in-memory-rejection-table.ts';
import { inMemoryRequestArchive } from '../../../doubles/in-memory-request-archive.ts';
import { inMemoryLockTable, inMemoryRequestTable } from '../../../doubles/in-memory-request-table.ts';
import { inMemoryStoreListings } from '../../../doubles/in-memory-store-listings.ts';
import { inMemoryStoreTable } from '../../../doubles/in-memory-store-table.ts';
import { inMemorySummaryArchive } from '../../../doubles/in-memory-summary-archive.ts';
import { inMemorySummaryQueue } from '../../../doubles/in-memory-summary-queue.ts';
import { inMemoryTicketQueue } from '../../../doubles/in-memory-ticket-queue.ts';
import { inMemoryWaitingPages } from '../../../doubles/in-memory-waiting-pages.ts';
import type { SimulatedProcess } from '../../engine/simulated-process.ts';
import { callerOf } from '../caller.ts';
import type { MessageQueue } from '../message-queue.ts';
import type { ProductWorld } from './product-world.ts';

/** The queues between the functions. */
export interface ProductQueues {
  readonly commands: MessageQueue;
  readonly changes: MessageQueue;
  readonly imports: MessageQueue;
  readonly summaries: MessageQueue;
  readonly wake: MessageQueue;
}

/** The ports of one process of the product functions. */
export function productPortsOf(world: ProductWorld, process: SimulatedProcess, queues: ProductQueues) {
  const { tables, settings, simulation, secret } = world;
  const { step } = process;
  const { own, limiter, secretKey, client } = callerOf(world, process);
  const listings = inMemoryListingTable(step, { items: tables.listings, pages: tables.pages }, own.clock);
  const reads = recordingReads(client, { listings, clock: own.clock });
  const reader = secret.readerOf(process);
  const senderTo = (name: string, queue: Pick<MessageQueue, 'send'>): QueueSender => ({
    send: async (bodies, { delayMs = 0 } = {}) => {
      if (bodies.length === 0) return;
      await step(`${name}.send ${bodies.length}`, () => {
        for (const body of bodies) queue.send(body, delayMs);
      });
    },
  });
  return {
    ...own,
    ...settings,
    // A deployment may come between two deliveries of a command.
    itemsPerRequest: world.drawItemsPerRequest(),
    limiter,
    secretKey,
    calls: reads,
    marketplace: reads,
    stores: inMemoryStoreTable(step, tables.stores),
    requests: dyingOnceSplit(world, process, inMemoryRequestTable(step, tables.records, tables.plans)),
    locks: inMemoryLockTable(step, tables.locks),
    batches: inMemoryBatchTable(
      step,
      tables.batches,
      tables.links,
      () => tables.batches.readIndex(),
      tables.sentRows,
    ),
    rejections: inMemoryRejectionTable(step, tables.rejections),
    imports: inMemoryImportTable(step, tables.imports),
    readingPlaces: inMemoryReadingPlaces(step, tables.readingPlaces),
    archive: inMemoryRequestArchive(step, tables.requests),
    changeEvents: inMemoryChangeEventTable(step),
    events: inMemoryEventPublisher(step, tables.events),
    listings,
    pages: inMemoryWaitingPages(step, tables.pages),
    guards: inMemoryGuardTable(step, tables.guards),
    lanes: inMemoryLaneTable(step, tables.lanes),
    tickets: inMemoryTicketQueue(({ ticket, delayMs }) => {
      if (!simulation.faults.strikes('ticket lost')) queues.wake.send(JSON.stringify(ticket), delayMs);
    }, step),
    summaries: inMemorySummaryQueue(
      (summary: ReceivedSummary) => queues.summaries.send(JSON.stringify(summary)),
      step,
    ),
    secrets: { webhookSecrets: async (options?: { fresh?: boolean }) => [await reader.read(options)] },
    commandQueue: createCommandQueue(senderTo('commands', queues.commands)),
    productCommands: senderTo('commands', {
      send: (body, delayMs) => {
        world.retries.onGiven(body);
        queues.commands.send(body, delayMs);
      },
    }),
    queue: createFileRowQueue({
      productCommands: senderTo('commands', queues.commands),
      changes: senderTo('changes', queues.changes),
    }),
    importQueue: createImportQueue(senderTo('imports', queues.imports)),
    reports: inMemoryImportReports(step, tables.reports),
    storeListings: inMemoryStoreListings(step, tables.listings),
    receipts: inMemoryFileReceiptTable(step, tables.receipts),
    changes: createListingChangeQueue(senderTo('changes', queues.changes)),
    files: {
      metadata: async () => ({}),
      open: ({ key }: { key: string }, firstByte: number) =>
        step(`files.open ${key}`, () => {
          const file = tables.files.get(key);
          return file === undefined ? undefined : Readable.from([Buffer.from(file).subarray(firstByte)]);
        }),
    },
  };
}

/** A process that splits a request may be killed right after it. */
function dyingOnceSplit(
  { simulation: { faults } }: ProductWorld,
  process: SimulatedProcess,
  requests: RequestTable,
): RequestTable {
  return {
    ...requests,
    update: async (recordId, change) => {
      let before: string | undefined;
      const stored = await requests.update(recordId, (current) => {
        before = current?.state;
        return change(current);
      });
      if (stored?.state === 'split' && before !== 'split') {
        if (faults.strikes('crash once a request is split')) process.kill('crash once a request is split');
        if (!process.alive) return new Promise(() => {});
      }
      return stored;
    },
  };
}

export type ProductPorts = ReturnType<typeof productPortsOf>;

/** The ports of the functions that work on batches. */
export function batchPortsOf(ports: ProductPorts) {
  return { ...ports, ...batchEndPorts(ports) };
}

/** The ports of the functions that handle final summaries. */
export function summaryPortsOf({ tables }: ProductWorld, { step }: SimulatedProcess, ports: ProductPorts) {
  const onEnd = (batch: BatchRecord) => queueCreatedOfBatch(ports, batch);
  return { ...ports, archive: inMemorySummaryArchive(step, tables.summaries), onEnd };
}

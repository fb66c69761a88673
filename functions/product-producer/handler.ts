import { randomUUID } from 'node:crypto';
import { createBatchTable } from '../../shared/aws/batch-table.ts';
import { documentClient, eventBridgeClient, s3Client, sqsClient } from '../../shared/aws/clients.ts';
import { createCommandQueue } from '../../shared/aws/command-queue.ts';
import { createEventPublisher } from '../../shared/aws/event-bus.ts';
import { createLargeMessageSender, createLargeMessages } from '../../shared/aws/large-messages.ts';
import { createListingChangeQueue } from '../../shared/aws/listing-change-queue.ts';
import { createListingTable } from '../../shared/aws/listing-table.ts';
import { createLockTable } from '../../shared/aws/lock-table.ts';
import { connectCall, marketplaceSettings } from '../../shared/aws/marketplace.ts';
import { createQueueSender } from '../../shared/aws/queue-sender.ts';
import { createRejectionTable } from '../../shared/aws/rejection-table.ts';
import { createRequestArchive } from '../../shared/aws/request-archive.ts';
import { createRequestTable } from '../../shared/aws/request-table.ts';
import { createStoreTable } from '../../shared/aws/store-table.ts';
import { createTicketQueue } from '../../shared/aws/ticket-queue.ts';
import { commandHandler } from '../../shared/lambda/command-handler.ts';
import { recordingReads } from '../../shared/listings/use-cases/recording-reads.ts';
import { productChangesOver } from '../../shared/marketplace/product-changes.ts';
import { productReadsOver } from '../../shared/marketplace/products.ts';
import { createProductDomain } from '../../shared/products/product-domain.ts';
import { receiveCommands } from '../../shared/requests/use-cases/receive-commands.ts';
import { readEnvironment } from '../../shared/settings/read-environment.ts';
import { attemptLifetimeOf } from '../../shared/time/attempt-lifetime.ts';
import { systemClock } from '../../shared/time/system-clock.ts';

const environment = readEnvironment([
  ...marketplaceSettings,
  'storesTable',
  'requestsTable',
  'batchesTable',
  'rejectionsTable',
  'archiveBucket',
  'listingsTable',
  'changesQueueUrl',
  'wakeQueueUrl',
  'productCommandsQueueUrl',
  'eventBusName',
  'itemsPerRequest',
  'batchDeadlineMinutes',
]);
const tables = documentClient();
const call = await connectCall(environment);
const objects = s3Client();
const { archiveBucket } = environment;
const commandsQueue = createQueueSender(sqsClient(), environment.productCommandsQueueUrl);
const listings = createListingTable(tables, environment.listingsTable);

const ports = {
  stores: createStoreTable(tables, environment.storesTable),
  requests: createRequestTable(tables, environment.requestsTable),
  locks: createLockTable(tables, environment.requestsTable),
  archive: createRequestArchive(objects, archiveBucket),
  batches: createBatchTable(tables, environment.batchesTable),
  rejections: createRejectionTable(tables, environment.rejectionsTable),
  listings,
  tickets: createTicketQueue(createQueueSender(sqsClient(), environment.wakeQueueUrl)),
  changes: createListingChangeQueue(createQueueSender(sqsClient(), environment.changesQueueUrl)),
  again: createCommandQueue(createLargeMessageSender(commandsQueue, objects, archiveBucket)),
  events: createEventPublisher(eventBridgeClient(), environment.eventBusName),
  calls: {
    ...productChangesOver(call),
    ...recordingReads(productReadsOver(call), { listings, clock: systemClock }),
  },
  clock: systemClock,
  newId: randomUUID,
  random: Math.random,
  itemsPerRequest: environment.itemsPerRequest,
  attemptLifetimeMs: attemptLifetimeOf(environment),
  batchDeadlineMs: environment.batchDeadlineMinutes * 60_000,
};
const domain = createProductDomain(ports);

/** Performs the product commands of a receive: those of one store and kind share requests. */
export const handler = commandHandler(createLargeMessages(objects, archiveBucket), (messages, stopAt) =>
  receiveCommands(ports, domain, messages, stopAt),
);

import { randomUUID } from 'node:crypto';
import {
  createLargeMessageSender,
  createLargeMessages,
  createRequestArchive,
} from '../../shared/aws/archive-bucket.ts';
import { createBatchTable } from '../../shared/aws/batch-table.ts';
import { documentClient, eventBridgeClient, s3Client, sqsClient } from '../../shared/aws/clients.ts';
import { createEventPublisher } from '../../shared/aws/event-bus.ts';
import { createListingChangeQueue } from '../../shared/aws/event-queues.ts';
import { createListingTable } from '../../shared/aws/listing-table.ts';
import { connectMarketplace, marketplaceSettings } from '../../shared/aws/marketplace.ts';
import { createCommandQueue, createQueueSender, createTicketQueue } from '../../shared/aws/queue-sender.ts';
import { createRejectionTable } from '../../shared/aws/rejection-table.ts';
import { createLockTable, createRequestTable } from '../../shared/aws/request-table.ts';
import { createStoreTable } from '../../shared/aws/store-table.ts';
import { commandHandler } from '../../shared/lambda/command-handler.ts';
import { recordingReads } from '../../shared/listings/use-cases/recording-reads.ts';
import { createProductDomain } from '../../shared/products/product-domain.ts';
import { receiveCommands } from '../../shared/requests/use-cases/receive-commands.ts';
import { readEnvironment } from '../../shared/settings/environment.ts';
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
  calls: recordingReads(await connectMarketplace(environment), { listings, clock: systemClock }),
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

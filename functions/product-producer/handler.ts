import { randomUUID } from 'node:crypto';
import { MetricUnit } from '@aws-lambda-powertools/metrics';
import { attemptLifetimeOf } from '../../shared/attempts/rules/attempt-lifetime.ts';
import { createAttemptTable } from '../../shared/aws/attempt-table.ts';
import { createBatchTable } from '../../shared/aws/batch-table.ts';
import { createClaimTable } from '../../shared/aws/claim-table.ts';
import { documentClient, eventBridgeClient, s3Client, sqsClient } from '../../shared/aws/clients.ts';
import { createCommandQueue } from '../../shared/aws/command-queue.ts';
import { createCommandTable } from '../../shared/aws/command-table.ts';
import { createEventPublisher } from '../../shared/aws/event-bus.ts';
import { createLargeMessageSender, createLargeMessages } from '../../shared/aws/large-messages.ts';
import { createListingChangeQueue } from '../../shared/aws/listing-change-queue.ts';
import { createListingTable } from '../../shared/aws/listing-table.ts';
import { connectMarketplace, marketplaceSettings } from '../../shared/aws/marketplace.ts';
import { createProductTurnTable } from '../../shared/aws/product-turn-table.ts';
import { createQueueSender } from '../../shared/aws/queue-sender.ts';
import { createRejectionTable } from '../../shared/aws/rejection-table.ts';
import { createRequestArchive } from '../../shared/aws/request-archive.ts';
import { createStoreTable } from '../../shared/aws/store-table.ts';
import { createTicketQueue } from '../../shared/aws/ticket-queue.ts';
import { beginRequestsUntil } from '../../shared/lambda/deadlines.ts';
import { measureWaiting } from '../../shared/lambda/measure-waiting.ts';
import { logger, metrics } from '../../shared/lambda/observability.ts';
import { queueHandler } from '../../shared/lambda/queue-handler.ts';
import { recordingReads } from '../../shared/listings/use-cases/recording-reads.ts';
import { performProductCommand } from '../../shared/products/use-cases/perform-product-command.ts';
import { readEnvironment } from '../../shared/settings/read-environment.ts';
import { systemClock } from '../../shared/time/system-clock.ts';

const environment = readEnvironment([
  ...marketplaceSettings,
  'storesTable',
  'commandsTable',
  'attemptsTable',
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
const largeMessages = createLargeMessages(objects, archiveBucket);

const listings = createListingTable(tables, environment.listingsTable);

const ports = {
  stores: createStoreTable(tables, environment.storesTable),
  commands: createCommandTable(tables, environment.commandsTable),
  claims: createClaimTable(tables, environment.commandsTable),
  turns: createProductTurnTable(tables, environment.commandsTable),
  attempts: createAttemptTable(tables, environment.attemptsTable),
  batches: createBatchTable(tables, environment.batchesTable),
  rejections: createRejectionTable(tables, environment.rejectionsTable),
  requests: createRequestArchive(objects, archiveBucket),
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

/** Does the product command, or the pack of them, that a message holds. */
export const handler = queueHandler(async (message, context) => {
  const stopAt = beginRequestsUntil(systemClock, context);
  const body = await largeMessages.open(message.body);
  const result = await performProductCommand(ports, { ...message, body }, stopAt);
  metrics.addMetric('RequestsSent', MetricUnit.Count, result.requests);
  metrics.addMetric('RowsRejected', MetricUnit.Count, result.rejected);
  measureWaiting(result);
  logger.info('product command done', { ...result });
});

import { randomUUID } from 'node:crypto';
import { MetricUnit } from '@aws-lambda-powertools/metrics';
import { createAttemptTable } from '../../shared/aws/attempt-table.ts';
import { createBatchTable } from '../../shared/aws/batch-table.ts';
import { documentClient, eventBridgeClient, s3Client, sqsClient } from '../../shared/aws/clients.ts';
import { createCommandQueue } from '../../shared/aws/command-queue.ts';
import { createCommandTable } from '../../shared/aws/command-table.ts';
import { createEventPublisher } from '../../shared/aws/event-bus.ts';
import { createLargeMessageSender, createLargeMessages } from '../../shared/aws/large-messages.ts';
import { connectMarketplace, marketplaceSettings } from '../../shared/aws/marketplace.ts';
import { createOrderTable } from '../../shared/aws/order-table.ts';
import { createQueueSender } from '../../shared/aws/queue-sender.ts';
import { createRejectionTable } from '../../shared/aws/rejection-table.ts';
import { createStoreTable } from '../../shared/aws/store-table.ts';
import { beginRequestsUntil } from '../../shared/lambda/deadlines.ts';
import { measureWaiting } from '../../shared/lambda/measure-waiting.ts';
import { logger, metrics } from '../../shared/lambda/observability.ts';
import { queueHandler } from '../../shared/lambda/queue-handler.ts';
import { performOrderCommand } from '../../shared/orders/use-cases/perform-order-command.ts';
import { readEnvironment } from '../../shared/settings/read-environment.ts';
import { systemClock } from '../../shared/time/system-clock.ts';

const environment = readEnvironment([
  ...marketplaceSettings,
  'storesTable',
  'ordersTable',
  'commandsTable',
  'attemptsTable',
  'batchesTable',
  'rejectionsTable',
  'archiveBucket',
  'orderCommandsQueueUrl',
  'eventBusName',
  'itemsPerRequest',
  'batchDeadlineMinutes',
]);
const tables = documentClient();
const objects = s3Client();
const { archiveBucket } = environment;
const commandsQueue = createQueueSender(sqsClient(), environment.orderCommandsQueueUrl);
const largeMessages = createLargeMessages(objects, archiveBucket);

const ports = {
  stores: createStoreTable(tables, environment.storesTable),
  orders: createOrderTable(tables, environment.ordersTable),
  commands: createCommandTable(tables, environment.commandsTable),
  attempts: createAttemptTable(tables, environment.attemptsTable),
  batches: createBatchTable(tables, environment.batchesTable),
  rejections: createRejectionTable(tables, environment.rejectionsTable),
  events: createEventPublisher(eventBridgeClient(), environment.eventBusName),
  calls: await connectMarketplace(environment),
  again: createCommandQueue(createLargeMessageSender(commandsQueue, objects, archiveBucket)),
  clock: systemClock,
  newId: randomUUID,
  random: Math.random,
  itemsPerRequest: environment.itemsPerRequest,
  batchDeadlineMs: environment.batchDeadlineMinutes * 60_000,
};

/** Does the order command that a message holds. */
export const handler = queueHandler(async (message, context) => {
  const stopAt = beginRequestsUntil(systemClock, context);
  const body = await largeMessages.open(message.body);
  const result = await performOrderCommand(ports, { ...message, body }, stopAt);
  metrics.addMetric('OrdersDone', MetricUnit.Count, result.done);
  metrics.addMetric('OrdersUnknown', MetricUnit.Count, result.unknown);
  metrics.addMetric('RowsRejected', MetricUnit.Count, result.rejected);
  measureWaiting(result);
  logger.info('order command done', { ...result });
});

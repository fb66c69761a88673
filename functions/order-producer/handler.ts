import { randomUUID } from 'node:crypto';
import { MetricUnit } from '@aws-lambda-powertools/metrics';
import { attemptLifetimeOf } from '../../shared/attempts/rules/attempt-lifetime.ts';
import { createBatchTable } from '../../shared/aws/batch-table.ts';
import { documentClient, eventBridgeClient, s3Client, sqsClient } from '../../shared/aws/clients.ts';
import { createCommandQueue } from '../../shared/aws/command-queue.ts';
import { createEventPublisher } from '../../shared/aws/event-bus.ts';
import { createLargeMessageSender, createLargeMessages } from '../../shared/aws/large-messages.ts';
import { connectMarketplace, marketplaceSettings } from '../../shared/aws/marketplace.ts';
import { createOrderTable } from '../../shared/aws/order-table.ts';
import { createQueueSender } from '../../shared/aws/queue-sender.ts';
import { createRejectionTable } from '../../shared/aws/rejection-table.ts';
import { createRequestArchive } from '../../shared/aws/request-archive.ts';
import { createRequestTable } from '../../shared/aws/request-table.ts';
import { createStoreTable } from '../../shared/aws/store-table.ts';
import { beginRequestsUntil } from '../../shared/lambda/deadlines.ts';
import { describeError } from '../../shared/lambda/describe-error.ts';
import { measureWaiting } from '../../shared/lambda/measure-waiting.ts';
import { logger, metrics } from '../../shared/lambda/observability.ts';
import { queueBatchHandler } from '../../shared/lambda/queue-handler.ts';
import { countOrders, createOrderDomain } from '../../shared/orders/use-cases/perform-orders.ts';
import { receiveCommands } from '../../shared/requests/use-cases/receive-commands.ts';
import { readEnvironment } from '../../shared/settings/read-environment.ts';
import { systemClock } from '../../shared/time/system-clock.ts';

const environment = readEnvironment([
  ...marketplaceSettings,
  'storesTable',
  'ordersTable',
  'requestsTable',
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
  requests: createRequestTable(tables, environment.requestsTable),
  archive: createRequestArchive(objects, archiveBucket),
  batches: createBatchTable(tables, environment.batchesTable),
  rejections: createRejectionTable(tables, environment.rejectionsTable),
  events: createEventPublisher(eventBridgeClient(), environment.eventBusName),
  calls: await connectMarketplace(environment),
  again: createCommandQueue(createLargeMessageSender(commandsQueue, objects, archiveBucket)),
  clock: systemClock,
  newId: randomUUID,
  random: Math.random,
  itemsPerRequest: environment.itemsPerRequest,
  attemptLifetimeMs: attemptLifetimeOf(environment),
  batchDeadlineMs: environment.batchDeadlineMinutes * 60_000,
};
const orders = createOrderDomain(ports);

/** Performs the order commands of one receive, those of a store together. */
export const handler = queueBatchHandler(async (received, context) => {
  const stopAt = beginRequestsUntil(systemClock, context);
  const { messages, unopened, failures: notOpened } = await largeMessages.openAll(received);
  const result = await receiveCommands(ports, orders, messages, stopAt);
  const { done, unknown, rejected } = countOrders(result.requests);
  metrics.addMetric('OrdersDone', MetricUnit.Count, done);
  metrics.addMetric('OrdersUnknown', MetricUnit.Count, unknown);
  metrics.addMetric('RowsRejected', MetricUnit.Count, result.rejected + rejected);
  for (const deferral of result.deferred) measureWaiting(deferral);
  for (const failure of [...notOpened, ...result.failures])
    logger.error('command failed, it is redelivered', describeError(failure));
  const { deferred } = result;
  logger.info('order commands performed', { messages: received.length, done, unknown, rejected, deferred });
  return { failedMessageIds: [...unopened, ...result.failedMessageIds] };
});

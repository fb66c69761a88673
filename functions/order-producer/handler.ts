import { randomUUID } from 'node:crypto';
import { MetricUnit } from '@aws-lambda-powertools/metrics';
import { createBatchTable } from '../../shared/aws/batch-table.ts';
import { documentClient, eventBridgeClient, s3Client, sqsClient } from '../../shared/aws/clients.ts';
import { createCommandQueue } from '../../shared/aws/command-queue.ts';
import { createEventPublisher } from '../../shared/aws/event-bus.ts';
import { createLargeMessageSender, createLargeMessages } from '../../shared/aws/large-messages.ts';
import { connectCall, marketplaceSettings } from '../../shared/aws/marketplace.ts';
import { createOrderTable } from '../../shared/aws/order-table.ts';
import { createQueueSender } from '../../shared/aws/queue-sender.ts';
import { createRejectionTable } from '../../shared/aws/rejection-table.ts';
import { createRequestArchive } from '../../shared/aws/request-archive.ts';
import { createRequestTable } from '../../shared/aws/request-table.ts';
import { createStoreTable } from '../../shared/aws/store-table.ts';
import { commandHandler } from '../../shared/lambda/command-handler.ts';
import { metrics } from '../../shared/lambda/observability.ts';
import { orderCallsOver } from '../../shared/marketplace/orders.ts';
import { countOrders, createOrderDomain } from '../../shared/orders/use-cases/perform-orders.ts';
import { receiveCommands } from '../../shared/requests/use-cases/receive-commands.ts';
import { readEnvironment } from '../../shared/settings/read-environment.ts';
import { attemptLifetimeOf } from '../../shared/time/attempt-lifetime.ts';
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

const ports = {
  stores: createStoreTable(tables, environment.storesTable),
  orders: createOrderTable(tables, environment.ordersTable),
  requests: createRequestTable(tables, environment.requestsTable),
  archive: createRequestArchive(objects, archiveBucket),
  batches: createBatchTable(tables, environment.batchesTable),
  rejections: createRejectionTable(tables, environment.rejectionsTable),
  events: createEventPublisher(eventBridgeClient(), environment.eventBusName),
  calls: orderCallsOver(await connectCall(environment)),
  again: createCommandQueue(createLargeMessageSender(commandsQueue, objects, archiveBucket)),
  clock: systemClock,
  newId: randomUUID,
  random: Math.random,
  itemsPerRequest: environment.itemsPerRequest,
  attemptLifetimeMs: attemptLifetimeOf(environment),
  batchDeadlineMs: environment.batchDeadlineMinutes * 60_000,
};
const domain = createOrderDomain(ports);

/** Performs the order commands of a receive: decisions of one store share requests. */
export const handler = commandHandler(
  createLargeMessages(objects, archiveBucket),
  async (messages, stopAt) => {
    const received = await receiveCommands(ports, domain, messages, stopAt);
    const { done, unknown, rejected } = countOrders(received.requests);
    metrics.addMetric('OrdersDone', MetricUnit.Count, done);
    metrics.addMetric('OrdersUnknown', MetricUnit.Count, unknown);
    return { ...received, rejected: received.rejected + rejected };
  },
);

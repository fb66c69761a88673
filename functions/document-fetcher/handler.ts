import { randomUUID } from 'node:crypto';
import { MetricUnit } from '@aws-lambda-powertools/metrics';
import { documentClient, eventBridgeClient, s3Client, sqsClient } from '../../shared/aws/clients.ts';
import { createCommandQueue } from '../../shared/aws/command-queue.ts';
import { createCommandTable } from '../../shared/aws/command-table.ts';
import { createDocumentBucket } from '../../shared/aws/document-bucket.ts';
import { createDocumentClaimTable } from '../../shared/aws/document-claim-table.ts';
import { createEventPublisher } from '../../shared/aws/event-bus.ts';
import { connectMarketplace, marketplaceSettings } from '../../shared/aws/marketplace.ts';
import { createOrderTable } from '../../shared/aws/order-table.ts';
import { createQueueSender } from '../../shared/aws/queue-sender.ts';
import { createRejectionTable } from '../../shared/aws/rejection-table.ts';
import { createStoreTable } from '../../shared/aws/store-table.ts';
import { performDocumentCommand } from '../../shared/documents/use-cases/perform-document-command.ts';
import { measureWaiting } from '../../shared/lambda/measure-waiting.ts';
import { logger, metrics } from '../../shared/lambda/observability.ts';
import { queueHandler } from '../../shared/lambda/queue-handler.ts';
import { readEnvironment } from '../../shared/settings/read-environment.ts';
import { systemClock } from '../../shared/time/system-clock.ts';

const environment = readEnvironment([
  ...marketplaceSettings,
  'storesTable',
  'commandsTable',
  'ordersTable',
  'rejectionsTable',
  'documentBucket',
  'documentCommandsQueueUrl',
  'documentWaitMinutes',
  'eventBusName',
]);
const tables = documentClient();

const ports = {
  stores: createStoreTable(tables, environment.storesTable),
  commands: createCommandTable(tables, environment.commandsTable),
  orders: createOrderTable(tables, environment.ordersTable),
  rejections: createRejectionTable(tables, environment.rejectionsTable),
  documents: createDocumentBucket(s3Client(), environment.documentBucket),
  documentClaims: createDocumentClaimTable(tables, environment.commandsTable),
  events: createEventPublisher(eventBridgeClient(), environment.eventBusName),
  calls: await connectMarketplace(environment, { leavesOne: true }),
  again: createCommandQueue(createQueueSender(sqsClient(), environment.documentCommandsQueueUrl)),
  waitForStateMs: environment.documentWaitMinutes * 60_000,
  clock: systemClock,
  newId: randomUUID,
  random: Math.random,
};

/** Fetches the document that a message asks for. */
export const handler = queueHandler(async (message) => {
  const result = await performDocumentCommand(ports, message);
  const { state } = result;
  measureWaiting(result);
  if (state === 'stored') metrics.addMetric('DocumentsStored', MetricUnit.Count, 1);
  if (state === 'failed') metrics.addMetric('DocumentsFailed', MetricUnit.Count, 1);
  logger.info('document command done', { ...result });
});

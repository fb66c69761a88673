import { randomUUID } from 'node:crypto';
import { MetricUnit } from '@aws-lambda-powertools/metrics';
import { documentClient, eventBridgeClient, s3Client, sqsClient } from '../../shared/aws/clients.ts';
import { createCommandQueue } from '../../shared/aws/command-queue.ts';
import { createDocumentBucket } from '../../shared/aws/document-bucket.ts';
import { createEventPublisher } from '../../shared/aws/event-bus.ts';
import { createLargeMessages } from '../../shared/aws/large-messages.ts';
import { createLockTable } from '../../shared/aws/lock-table.ts';
import { connectCall, marketplaceSettings } from '../../shared/aws/marketplace.ts';
import { createOrderTable } from '../../shared/aws/order-table.ts';
import { createQueueSender } from '../../shared/aws/queue-sender.ts';
import { createRejectionTable } from '../../shared/aws/rejection-table.ts';
import { createRequestArchive } from '../../shared/aws/request-archive.ts';
import { createRequestTable } from '../../shared/aws/request-table.ts';
import { createStoreTable } from '../../shared/aws/store-table.ts';
import { createDocumentDomain, outcomeOf } from '../../shared/documents/document-domain.ts';
import { commandHandler } from '../../shared/lambda/command-handler.ts';
import { metrics } from '../../shared/lambda/observability.ts';
import { documentCallsOver } from '../../shared/marketplace/documents.ts';
import { receiveCommands } from '../../shared/requests/use-cases/receive-commands.ts';
import { readEnvironment } from '../../shared/settings/read-environment.ts';
import { attemptLifetimeOf } from '../../shared/time/attempt-lifetime.ts';
import { systemClock } from '../../shared/time/system-clock.ts';

const environment = readEnvironment([
  ...marketplaceSettings,
  'storesTable',
  'requestsTable',
  'ordersTable',
  'rejectionsTable',
  'archiveBucket',
  'documentBucket',
  'documentCommandsQueueUrl',
  'documentWaitMinutes',
  'eventBusName',
]);
const tables = documentClient();
const objects = s3Client();

const ports = {
  stores: createStoreTable(tables, environment.storesTable),
  requests: createRequestTable(tables, environment.requestsTable),
  locks: createLockTable(tables, environment.requestsTable),
  archive: createRequestArchive(objects, environment.archiveBucket),
  orders: createOrderTable(tables, environment.ordersTable),
  rejections: createRejectionTable(tables, environment.rejectionsTable),
  documents: createDocumentBucket(objects, environment.documentBucket),
  events: createEventPublisher(eventBridgeClient(), environment.eventBusName),
  calls: documentCallsOver(await connectCall(environment, { leavesOne: true })),
  again: createCommandQueue(createQueueSender(sqsClient(), environment.documentCommandsQueueUrl)),
  waitForStateMs: environment.documentWaitMinutes * 60_000,
  clock: systemClock,
  newId: randomUUID,
  random: Math.random,
  attemptLifetimeMs: attemptLifetimeOf(environment),
};
const domain = createDocumentDomain(ports);

/** Fetches the document that a message asks for. */
export const handler = commandHandler(
  createLargeMessages(objects, environment.archiveBucket),
  async (messages, stopAt) => {
    const received = await receiveCommands(ports, domain, messages, stopAt);
    for (const request of received.requests) {
      const outcome = request.appliedAt === undefined ? outcomeOf(request) : undefined;
      if (outcome === undefined) continue;
      metrics.addMetric('stored' in outcome ? 'DocumentsStored' : 'DocumentsFailed', MetricUnit.Count, 1);
    }
    return received;
  },
);

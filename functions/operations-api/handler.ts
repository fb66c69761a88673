import { randomBytes, randomUUID } from 'node:crypto';
import { createBatchTable } from '../../shared/aws/batch-table.ts';
import { documentClient, eventBridgeClient, s3Client, sqsClient } from '../../shared/aws/clients.ts';
import { createDocumentBucket } from '../../shared/aws/document-bucket.ts';
import { createDocumentDownloads } from '../../shared/aws/document-downloads.ts';
import { createEventPublisher } from '../../shared/aws/event-bus.ts';
import { createGuardTable } from '../../shared/aws/guard-table.ts';
import { createLaneTable } from '../../shared/aws/lane-table.ts';
import { createLargeMessageSender } from '../../shared/aws/large-messages.ts';
import { createListingChangeQueue } from '../../shared/aws/listing-change-queue.ts';
import { createListingTable } from '../../shared/aws/listing-table.ts';
import { createLockTable } from '../../shared/aws/lock-table.ts';
import { connectCall, marketplaceSettings } from '../../shared/aws/marketplace.ts';
import { createOrderTable } from '../../shared/aws/order-table.ts';
import { createQueueSender } from '../../shared/aws/queue-sender.ts';
import { createRejectionTable } from '../../shared/aws/rejection-table.ts';
import { createRequestArchive } from '../../shared/aws/request-archive.ts';
import { createRequestTable } from '../../shared/aws/request-table.ts';
import { createRetryQueue } from '../../shared/aws/retry-queue.ts';
import { createSessionTable } from '../../shared/aws/session-table.ts';
import { createStoreTable } from '../../shared/aws/store-table.ts';
import { createTicketQueue } from '../../shared/aws/ticket-queue.ts';
import { httpHandler } from '../../shared/lambda/http-handler.ts';
import { recordingReads } from '../../shared/listings/use-cases/recording-reads.ts';
import { clientOver } from '../../shared/marketplace/client.ts';
import { readEnvironment } from '../../shared/settings/read-environment.ts';
import { attemptLifetimeOf } from '../../shared/time/attempt-lifetime.ts';
import { systemClock } from '../../shared/time/system-clock.ts';
import { createRoutes } from './routes.ts';

const environment = readEnvironment([
  ...marketplaceSettings,
  'batchesTable',
  'storesTable',
  'sessionsTable',
  'apiUrl',
  'listingsTable',
  'lanesTable',
  'guardsTable',
  'wakeQueueUrl',
  'ordersTable',
  'rejectionsTable',
  'requestsTable',
  'documentBucket',
  'archiveBucket',
  'changesQueueUrl',
  'productCommandsQueueUrl',
  'eventBusName',
  'itemsPerRequest',
  'pageSize',
  'productNames',
  'orderNames',
  'batchDeadlineMinutes',
]);
const tables = documentClient();
const objects = s3Client();
const changesQueue = createQueueSender(sqsClient(), environment.changesQueueUrl);
const productCommands = createLargeMessageSender(
  createQueueSender(sqsClient(), environment.productCommandsQueueUrl),
  objects,
  environment.archiveBucket,
);
const listings = createListingTable(tables, environment.listingsTable);
const marketplace = recordingReads(clientOver(await connectCall(environment)), {
  listings,
  clock: systemClock,
});

const ports = {
  batches: createBatchTable(tables, environment.batchesTable),
  stores: createStoreTable(tables, environment.storesTable),
  sessions: createSessionTable(tables, environment.sessionsTable),
  callbackUrl: `${environment.apiUrl}/onboarding/callback`,
  newNonce: () => randomBytes(32).toString('base64url'),
  listings,
  lanes: createLaneTable(tables, environment.lanesTable),
  guards: createGuardTable(tables, environment.guardsTable),
  tickets: createTicketQueue(createQueueSender(sqsClient(), environment.wakeQueueUrl)),
  orders: createOrderTable(tables, environment.ordersTable),
  rejections: createRejectionTable(tables, environment.rejectionsTable),
  documents: createDocumentBucket(objects, environment.documentBucket),
  locks: createLockTable(tables, environment.requestsTable),
  downloads: createDocumentDownloads(objects, environment.documentBucket),
  changesQueue,
  changes: createListingChangeQueue(changesQueue),
  productCommands,
  requests: createRequestArchive(objects, environment.archiveBucket),
  retries: createRetryQueue(productCommands),
  events: createEventPublisher(eventBridgeClient(), environment.eventBusName),
  marketplace,
  calls: marketplace,
  clock: systemClock,
  newId: randomUUID,
  random: Math.random,
  pageSize: environment.pageSize,
  defaultNames: { products: environment.productNames, orders: environment.orderNames },
  itemsPerRequest: environment.itemsPerRequest,
  attemptLifetimeMs: attemptLifetimeOf(environment),
  batchDeadlineMs: environment.batchDeadlineMinutes * 60_000,
};

const ledger = {
  ...ports,
  requests: createRequestTable(tables, environment.requestsTable),
  archive: ports.requests,
};

const routes = new Map(createRoutes({ ...ports, ledger }).map((route) => [route.key, route]));

/** The operations API; API Gateway has checked the caller's IAM authorization, and that the stack declares the route. */
export const handler = httpHandler(async (request) => {
  const route = routes.get(request.routeKey);
  if (route === undefined)
    throw new Error(`the stack declares a route that is not here: ${request.routeKey}`);
  return route.handle(request);
});

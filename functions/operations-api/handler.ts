import { createBatchTable } from '../../shared/aws/batch-table.ts';
import { documentClient, eventBridgeClient, sqsClient } from '../../shared/aws/clients.ts';
import { createEventPublisher } from '../../shared/aws/event-bus.ts';
import { createListingTable } from '../../shared/aws/listing-table.ts';
import { connectMarketplace, marketplaceSettings } from '../../shared/aws/marketplace.ts';
import { createQueueSender } from '../../shared/aws/queue-sender.ts';
import { createRejectionTable } from '../../shared/aws/rejection-table.ts';
import { createStoreTable } from '../../shared/aws/store-table.ts';
import { HttpError, httpHandler } from '../../shared/lambda/http-handler.ts';
import { readEnvironment } from '../../shared/settings/read-environment.ts';
import { systemClock } from '../../shared/time/system-clock.ts';
import { batchRoutes } from './batches.ts';
import { listingRoutes } from './listings.ts';
import { storeRoutes } from './stores.ts';

const environment = readEnvironment([
  ...marketplaceSettings,
  'batchesTable',
  'storesTable',
  'listingsTable',
  'rejectionsTable',
  'changesQueueUrl',
  'eventBusName',
]);
const tables = documentClient();

const ports = {
  batches: createBatchTable(tables, environment.batchesTable),
  stores: createStoreTable(tables, environment.storesTable),
  listings: createListingTable(tables, environment.listingsTable),
  rejections: createRejectionTable(tables, environment.rejectionsTable),
  changes: createQueueSender(sqsClient(), environment.changesQueueUrl),
  events: createEventPublisher(eventBridgeClient(), environment.eventBusName),
  marketplace: await connectMarketplace(environment),
  clock: systemClock,
};

const routes = new Map(
  [...storeRoutes(ports), ...batchRoutes(ports), ...listingRoutes(ports)].map((route) => [route.key, route]),
);

/** The operations API; API Gateway has checked the caller's IAM authorization. */
export const handler = httpHandler(async (request) => {
  const route = routes.get(request.routeKey);
  if (route === undefined) throw new HttpError(404, 'NOT_FOUND', `no route ${request.routeKey}`);
  return route.handle(request);
});

import { MetricUnit } from '@aws-lambda-powertools/metrics';
import { attemptLifetimeOf } from '../../shared/attempts/rules/attempt-lifetime.ts';
import { createBatchTable } from '../../shared/aws/batch-table.ts';
import { documentClient, eventBridgeClient, s3Client, sqsClient } from '../../shared/aws/clients.ts';
import { createCommandTable } from '../../shared/aws/command-table.ts';
import { createDocumentBucket } from '../../shared/aws/document-bucket.ts';
import { createEventPublisher } from '../../shared/aws/event-bus.ts';
import { createListingTable } from '../../shared/aws/listing-table.ts';
import { createLockTable } from '../../shared/aws/lock-table.ts';
import { connectMarketplace, marketplaceSettings } from '../../shared/aws/marketplace.ts';
import { createOrderTable } from '../../shared/aws/order-table.ts';
import { createQueueSender } from '../../shared/aws/queue-sender.ts';
import { createRejectionTable } from '../../shared/aws/rejection-table.ts';
import { createRequestArchive } from '../../shared/aws/request-archive.ts';
import { createRequestTable } from '../../shared/aws/request-table.ts';
import { createStoreTable } from '../../shared/aws/store-table.ts';
import { createTicketQueue } from '../../shared/aws/ticket-queue.ts';
import { createDocumentDomain } from '../../shared/documents/document-domain.ts';
import { setApart } from '../../shared/errors/set-apart.ts';
import { abortWithLeft } from '../../shared/lambda/deadlines.ts';
import { inParts } from '../../shared/lambda/in-parts.ts';
import { logger, metrics } from '../../shared/lambda/observability.ts';
import { scheduleHandler } from '../../shared/lambda/schedule-handler.ts';
import { recordingReads } from '../../shared/listings/use-cases/recording-reads.ts';
import { documentKindSchema } from '../../shared/marketplace/fields.ts';
import { applyOrders } from '../../shared/orders/use-cases/apply-orders.ts';
import { sweep } from '../../shared/products/use-cases/sweep.ts';
import type { RequestKind, RequestRecord } from '../../shared/requests/model.ts';
import { sweepRequests } from '../../shared/requests/use-cases/sweep-requests.ts';
import { readEnvironment } from '../../shared/settings/read-environment.ts';
import { announceLeftStores } from '../../shared/stores/use-cases/announce-store.ts';
import { systemClock } from '../../shared/time/system-clock.ts';

const environment = readEnvironment([
  ...marketplaceSettings,
  'batchesTable',
  'commandsTable',
  'requestsTable',
  'ordersTable',
  'listingsTable',
  'rejectionsTable',
  'storesTable',
  'archiveBucket',
  'documentBucket',
  'wakeQueueUrl',
  'eventBusName',
  'pageSize',
  'batchDeadlineMinutes',
]);
const tables = documentClient();

const listings = createListingTable(tables, environment.listingsTable);

const ports = {
  batches: createBatchTable(tables, environment.batchesTable),
  commands: createCommandTable(tables, environment.commandsTable),
  listings,
  tickets: createTicketQueue(createQueueSender(sqsClient(), environment.wakeQueueUrl)),
  rejections: createRejectionTable(tables, environment.rejectionsTable),
  stores: createStoreTable(tables, environment.storesTable),
  requests: createRequestArchive(s3Client(), environment.archiveBucket),
  events: createEventPublisher(eventBridgeClient(), environment.eventBusName),
  marketplace: recordingReads(await connectMarketplace(environment), { listings, clock: systemClock }),
  clock: systemClock,
  pageSize: environment.pageSize,
};
const orders = createOrderTable(tables, environment.ordersTable);
const orderPorts = {
  ...ports,
  orders,
  attemptLifetimeMs: attemptLifetimeOf(environment),
  batchDeadlineMs: environment.batchDeadlineMinutes * 60_000,
};
const ofOrders = { apply: (record: RequestRecord) => applyOrders(orderPorts, record) };
const ofDocuments = createDocumentDomain({
  ...ports,
  orders,
  locks: createLockTable(tables, environment.requestsTable),
  documents: createDocumentBucket(s3Client(), environment.documentBucket),
  calls: ports.marketplace,
  waitForStateMs: 0,
});
const ledger = {
  ...ports,
  requests: createRequestTable(tables, environment.requestsTable),
  archive: ports.requests,
  domainOf: (kind: RequestKind) => (documentKindSchema.safeParse(kind).success ? ofDocuments : ofOrders),
};

/** Reads in one sweep: a quarter of what the default rate allows between two sweeps, the rest is for real work. */
const CALL_BUDGET = 400;
/** Milliseconds left for recording what was seen when the reading is ended. */
const SETTLING_MS = 20_000;

/** Every 5 minutes: ends what was left. */
export const handler = scheduleHandler((context) =>
  inParts(async (onFailure) => {
    const storesAnnounced = await setApart(onFailure, () => announceLeftStores(ports, { onFailure }));
    const signal = abortWithLeft(context, SETTLING_MS);
    const requestsEnded = await setApart(onFailure, () => sweepRequests(ledger, { signal, onFailure }));
    const report = await sweep(ports, {
      callBudget: CALL_BUDGET,
      graceMs: environment.batchDeadlineMinutes * 60_000,
      signal,
      onFailure,
    });
    metrics.addMetric('BatchesResolved', MetricUnit.Count, report.resolved);
    metrics.addMetric('BatchesUnresolved', MetricUnit.Count, report.unresolved);
    metrics.addMetric('StepsAbandoned', MetricUnit.Count, report.abandoned);
    logger.info('open batches swept', { ...report, storesAnnounced, requestsEnded });
  }),
);

import { MetricUnit } from '@aws-lambda-powertools/metrics';
import { createBatchTable } from '../../shared/aws/batch-table.ts';
import { documentClient, eventBridgeClient, s3Client, sqsClient } from '../../shared/aws/clients.ts';
import { createDocumentBucket } from '../../shared/aws/document-bucket.ts';
import { createEventPublisher } from '../../shared/aws/event-bus.ts';
import { createListingChangeQueue } from '../../shared/aws/listing-change-queue.ts';
import { createListingTable } from '../../shared/aws/listing-table.ts';
import { createLockTable } from '../../shared/aws/lock-table.ts';
import { connectCall, marketplaceSettings } from '../../shared/aws/marketplace.ts';
import { createOrderTable } from '../../shared/aws/order-table.ts';
import { createQueueSender } from '../../shared/aws/queue-sender.ts';
import { createRejectionTable } from '../../shared/aws/rejection-table.ts';
import { createRequestArchive } from '../../shared/aws/request-archive.ts';
import { createRequestTable } from '../../shared/aws/request-table.ts';
import { createStoreTable } from '../../shared/aws/store-table.ts';
import { createTicketQueue } from '../../shared/aws/ticket-queue.ts';
import type { BatchRecord } from '../../shared/batches/model.ts';
import { createDocumentDomain } from '../../shared/documents/document-domain.ts';
import { setApart } from '../../shared/errors/set-apart.ts';
import { abortWithLeft } from '../../shared/lambda/deadlines.ts';
import { inParts } from '../../shared/lambda/in-parts.ts';
import { logger, metrics } from '../../shared/lambda/observability.ts';
import { scheduleHandler } from '../../shared/lambda/schedule-handler.ts';
import { recordingReads } from '../../shared/listings/use-cases/recording-reads.ts';
import { clientOver } from '../../shared/marketplace/client.ts';
import { documentKindSchema } from '../../shared/marketplace/fields.ts';
import { applyOrders } from '../../shared/orders/use-cases/apply-orders.ts';
import { createProductDomain } from '../../shared/products/product-domain.ts';
import { followReadBack } from '../../shared/products/update-requests.ts';
import { rearmCreatedByBatch } from '../../shared/products/use-cases/rearm-created.ts';
import type { RequestKind, RequestRecord } from '../../shared/requests/model.ts';
import { sweep } from '../../shared/requests/use-cases/sweep.ts';
import { readEnvironment } from '../../shared/settings/read-environment.ts';
import { announceLeftStores } from '../../shared/stores/use-cases/announce-store.ts';
import { attemptLifetimeOf } from '../../shared/time/attempt-lifetime.ts';
import { systemClock } from '../../shared/time/system-clock.ts';

const environment = readEnvironment([
  ...marketplaceSettings,
  'batchesTable',
  'requestsTable',
  'listingsTable',
  'ordersTable',
  'rejectionsTable',
  'storesTable',
  'archiveBucket',
  'documentBucket',
  'changesQueueUrl',
  'wakeQueueUrl',
  'eventBusName',
  'itemsPerRequest',
  'pageSize',
  'batchDeadlineMinutes',
]);
const tables = documentClient();

const listings = createListingTable(tables, environment.listingsTable);
const archive = createRequestArchive(s3Client(), environment.archiveBucket);
const marketplace = recordingReads(clientOver(await connectCall(environment)), {
  listings,
  clock: systemClock,
});

const ports = {
  batches: createBatchTable(tables, environment.batchesTable),
  locks: createLockTable(tables, environment.requestsTable),
  listings,
  tickets: createTicketQueue(createQueueSender(sqsClient(), environment.wakeQueueUrl)),
  changes: createListingChangeQueue(createQueueSender(sqsClient(), environment.changesQueueUrl)),
  rejections: createRejectionTable(tables, environment.rejectionsTable),
  stores: createStoreTable(tables, environment.storesTable),
  events: createEventPublisher(eventBridgeClient(), environment.eventBusName),
  clock: systemClock,
};
const orders = createOrderTable(tables, environment.ordersTable);
const attemptLifetimeMs = attemptLifetimeOf(environment);
const batchDeadlineMs = environment.batchDeadlineMinutes * 60_000;
const ofOrders = {
  apply: (record: RequestRecord) =>
    applyOrders({ ...ports, orders, attemptLifetimeMs, batchDeadlineMs }, record),
};
const ofDocuments = createDocumentDomain({
  ...ports,
  orders,
  documents: createDocumentBucket(s3Client(), environment.documentBucket),
  calls: marketplace,
  waitForStateMs: 0,
});
const ofProducts = createProductDomain({
  ...ports,
  archive,
  calls: marketplace,
  attemptLifetimeMs,
  itemsPerRequest: environment.itemsPerRequest,
  batchDeadlineMs,
});

function domainOf(kind: RequestKind) {
  if (documentKindSchema.safeParse(kind).success) return ofDocuments;
  return kind === 'order-decision' || kind === 'dropoff' ? ofOrders : ofProducts;
}

const sweepPorts = {
  ofBatches: {
    ...ports,
    marketplace,
    requests: archive,
    pageSize: environment.pageSize,
    onEnd: async (batch: BatchRecord) => {
      await rearmCreatedByBatch({ ...ports, archive }, batch);
      await followReadBack({ ...ports, archive }, batch);
    },
  },
  ofRequests: {
    ...ports,
    requests: createRequestTable(tables, environment.requestsTable),
    archive,
    domainOf,
  },
};

/** Reads in one sweep: a quarter of what the default rate allows between two sweeps, the rest is for real work. */
const CALL_BUDGET = 400;
/** Milliseconds left for recording what was seen when the reading is ended. */
const SETTLING_MS = 20_000;

/** Every 5 minutes: ends what was left open. */
export const handler = scheduleHandler((context) =>
  inParts(async (onFailure) => {
    const storesAnnounced = await setApart(onFailure, () => announceLeftStores(ports, { onFailure }));
    const report = await sweep(sweepPorts, {
      callBudget: CALL_BUDGET,
      graceMs: environment.batchDeadlineMinutes * 60_000,
      signal: abortWithLeft(context, SETTLING_MS),
      onFailure,
    });
    metrics.addMetric('BatchesResolved', MetricUnit.Count, report.resolved);
    metrics.addMetric('BatchesUnresolved', MetricUnit.Count, report.unresolved);
    metrics.addMetric('RequestsAbandoned', MetricUnit.Count, report.abandoned);
    logger.info('open batches swept', { ...report, storesAnnounced });
  }),
);

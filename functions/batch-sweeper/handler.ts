import { createBatchTable } from '../../shared/aws/batch-table.ts';
import { s3Client, sqsClient } from '../../shared/aws/clients.ts';
import { createDocumentBucket } from '../../shared/aws/document-bucket.ts';
import { documentClient } from '../../shared/aws/document-client.ts';
import { createListingChangeQueue } from '../../shared/aws/event-queues.ts';
import { ledgerPorts } from '../../shared/aws/ledger-ports.ts';
import { createListingTable } from '../../shared/aws/listing-table.ts';
import { connectMarketplace } from '../../shared/aws/marketplace.ts';
import { createOrderTable } from '../../shared/aws/order-table.ts';
import { createQueueSender } from '../../shared/aws/queue-sender.ts';
import { createDocumentDomain } from '../../shared/documents/document-domain.ts';
import { isolateFailure } from '../../shared/errors/isolate-failure.ts';
import { stopSignal } from '../../shared/lambda/deadlines.ts';
import { addCount, logger } from '../../shared/lambda/observability.ts';
import { requestLog } from '../../shared/lambda/request-log.ts';
import { scheduleHandler } from '../../shared/lambda/schedule-handler.ts';
import { recordingReads } from '../../shared/listings/use-cases/recording-reads.ts';
import { documentCallsOver } from '../../shared/marketplace/documents.ts';
import { documentKindSchema } from '../../shared/marketplace/fields.ts';
import { productChangesOver } from '../../shared/marketplace/product-changes.ts';
import { productReadsOver } from '../../shared/marketplace/products.ts';
import { applyOrders } from '../../shared/orders/use-cases/apply-orders.ts';
import { batchEndPorts } from '../../shared/products/batch-ends.ts';
import { createProductDomain } from '../../shared/products/product-domain.ts';
import type { RequestKind, RequestRecord } from '../../shared/requests/model.ts';
import { sweep } from '../../shared/requests/use-cases/sweep.ts';
import { environment } from '../../shared/settings/environment.ts';
import { announcePendingStores } from '../../shared/stores/use-cases/announce-store.ts';

const tables = documentClient();
const s3 = s3Client();
const ledger = ledgerPorts(environment, { tables, s3 });
const listings = createListingTable(tables, environment);
const { call } = connectMarketplace(environment, { tables, observer: requestLog });

const ports = {
  ...ledger,
  batches: createBatchTable(tables, environment.batchesTable, environment.recordRetentionDays),
  orders: createOrderTable(tables, environment.ordersTable, environment.orderRetentionDays),
  documents: createDocumentBucket(environment.documentBucket, s3),
  listings,
  changes: createListingChangeQueue(createQueueSender(sqsClient(), environment.changesQueueUrl)),
  calls: {
    ...productChangesOver(call),
    ...recordingReads(productReadsOver(call), { listings, clock: ledger.clock }),
    ...documentCallsOver(call),
  },
  itemsPerRequest: environment.itemsPerRequest,
  batchDeadlineMs: environment.batchDeadlineMinutes * 60_000,
  waitForStateMs: 0,
};
const orderDomain = { apply: (record: RequestRecord) => applyOrders(ports, record) };
const documentDomain = createDocumentDomain(ports);
const productDomain = createProductDomain(ports);

function domainOf(kind: RequestKind) {
  if (documentKindSchema.safeParse(kind).success) return documentDomain;
  return kind === 'order-decision' || kind === 'dropoff' ? orderDomain : productDomain;
}

const sweepPorts = {
  ...ports,
  ...batchEndPorts(ports),
  marketplace: ports.calls,
  pageSize: environment.pageSize,
  domainOf,
};

/** Most reads at the marketplace in one sweep. */
const CALL_BUDGET = 400;
/** Time to record results after the last read. */
const SETTLING_MS = 20_000;

/** Every 5 minutes: ends abandoned requests and overdue batches, and publishes events that were left over. */
export const handler = scheduleHandler(async (context, onFailure) => {
  const storesAnnounced = await isolateFailure(onFailure, () => announcePendingStores(ports, { onFailure }));
  const report = await sweep(sweepPorts, {
    callBudget: CALL_BUDGET,
    graceMs: ports.batchDeadlineMs,
    signal: stopSignal(context, SETTLING_MS),
    onFailure,
  });
  addCount('BatchesResolved', report.resolved);
  addCount('BatchesUnresolved', report.unresolved);
  addCount('RequestsAbandoned', report.abandoned);
  logger.info('open batches swept', { ...report, storesAnnounced });
});

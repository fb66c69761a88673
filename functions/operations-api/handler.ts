import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createLargeMessageSender } from '../../shared/aws/archive-bucket.ts';
import { createBatchTable } from '../../shared/aws/batch-table.ts';
import { createChangeEventTable } from '../../shared/aws/change-event-table.ts';
import { s3Client, sqsClient } from '../../shared/aws/clients.ts';
import { createDeadLetterMessages } from '../../shared/aws/dead-letter-messages.ts';
import { createDeadLetterQueues } from '../../shared/aws/dead-letter-queues.ts';
import { createDocumentBucket, createDocumentDownloads } from '../../shared/aws/document-bucket.ts';
import { documentClient } from '../../shared/aws/document-client.ts';
import { createDriftTable } from '../../shared/aws/drift-table.ts';
import { createImportQueue, createListingChangeQueue } from '../../shared/aws/event-queues.ts';
import { createGuardTable } from '../../shared/aws/guard-table.ts';
import { createImportTable } from '../../shared/aws/input-table.ts';
import { createLaneTable } from '../../shared/aws/lane-table.ts';
import { ledgerPorts } from '../../shared/aws/ledger-ports.ts';
import { createLimitTable } from '../../shared/aws/limit-table.ts';
import { createListingTable } from '../../shared/aws/listing-table.ts';
import { connectMarketplace } from '../../shared/aws/marketplace.ts';
import { createOrderTable } from '../../shared/aws/order-table.ts';
import { createQueueSender, createTicketQueue } from '../../shared/aws/queue-sender.ts';
import { createSessionTable } from '../../shared/aws/session-table.ts';
import { createVerificationTable } from '../../shared/aws/verification-table.ts';
import { createWaitingPageTable } from '../../shared/aws/waiting-table.ts';
import { httpHandler } from '../../shared/lambda/http-handler.ts';
import { requestLog } from '../../shared/lambda/request-log.ts';
import { limitIdsOf } from '../../shared/limits/model.ts';
import { recordingReads } from '../../shared/listings/use-cases/recording-reads.ts';
import { clientOver } from '../../shared/marketplace/client.ts';
import { environment } from '../../shared/settings/environment.ts';
import { callbackPath } from '../../shared/settings/stack-rules.ts';
import { createRoutes } from './routes.ts';

const tables = documentClient();
const s3 = s3Client();
const sqs = sqsClient();
const changesQueue = createQueueSender(sqs, environment.changesQueueUrl);
const ledger = ledgerPorts(environment, { tables, s3 });
const listings = createListingTable(tables, environment);
const { call, secretKey } = connectMarketplace(environment, { tables, observer: requestLog });

const queues = [
  { topic: 'Changes', url: environment.changesQueueUrl },
  { topic: 'Wake', url: environment.wakeQueueUrl },
  { topic: 'CatalogImport', url: environment.catalogImportQueueUrl },
  { topic: 'ProductCommands', url: environment.productCommandsQueueUrl },
  { topic: 'OrderCommands', url: environment.orderCommandsQueueUrl },
  { topic: 'DocumentCommands', url: environment.documentCommandsQueueUrl },
  { topic: 'Summaries', url: environment.summariesQueueUrl },
];
const deadLetters = createDeadLetterQueues(sqs, queues);

const ports = {
  ...ledger,
  batches: createBatchTable(tables, environment.batchesTable, environment.recordRetentionDays),
  listings,
  tickets: createTicketQueue(createQueueSender(sqs, environment.wakeQueueUrl)),
  orders: createOrderTable(tables, environment.ordersTable, environment.orderRetentionDays),
  changes: createListingChangeQueue(changesQueue),
  orderCommands: createLargeMessageSender(
    createQueueSender(sqs, environment.orderCommandsQueueUrl),
    environment.archiveBucket,
    s3,
  ),
  documentCommands: createQueueSender(sqs, environment.documentCommandsQueueUrl),
  itemsPerRequest: environment.itemsPerRequest,
  batchDeadlineMs: environment.batchDeadlineMinutes * 60_000,
  changeEvents: createChangeEventTable(
    tables,
    environment.changeEventsTable,
    environment.changeEventRetentionDays,
  ),
  imports: createImportTable(tables, environment.inputsTable, environment.recordRetentionDays),
  importQueue: createImportQueue(createQueueSender(sqs, environment.catalogImportQueueUrl)),
  sessions: createSessionTable(tables, environment.sessionsTable),
  callbackUrl: `${environment.apiUrl}${callbackPath}`,
  newNonce: () => randomBytes(32).toString('base64url'),
  pages: createWaitingPageTable(tables, environment.waitingTable),
  lanes: createLaneTable(tables, environment.lanesTable),
  guards: createGuardTable(tables, environment.guardsTable),
  drift: createDriftTable(tables, environment.driftTable),
  verifications: createVerificationTable(tables, environment.verificationsTable),
  retentionDays: {
    records: environment.recordRetentionDays,
    archive: environment.archiveRetentionDays,
    orders: environment.orderRetentionDays,
    documents: environment.documentRetentionDays,
  },
  documents: createDocumentBucket(environment.documentBucket, s3),
  downloads: createDocumentDownloads(environment.documentBucket, s3),
  limits: createLimitTable(tables, environment.limitsTable),
  partnerClientId: environment.partnerClientId,
  limitIds: limitIdsOf(environment.partnerClientId, environment),
  partnerSecretArn: environment.partnerSecretArn,
  restoredTables: environment.restoredTables,
  partnerSecret: secretKey,
  requestsPerSecond: environment.requestsPerSecond,
  deadLetters,
  deadLetterMessages: createDeadLetterMessages(sqs, deadLetters.urls),
  changesQueue,
  productCommands: createLargeMessageSender(
    createQueueSender(sqs, environment.productCommandsQueueUrl),
    environment.archiveBucket,
    s3,
  ),
  marketplace: recordingReads(clientOver(call), { listings, clock: ledger.clock }),
  pageSize: environment.pageSize,
  readOpenApi: async () => JSON.parse(await readFile(new URL('openapi.json', import.meta.url), 'utf8')),
  defaultNames: { products: environment.productNames, orders: environment.orderNames },
};

const routes = new Map(createRoutes(ports).map((route) => [route.key, route]));

/** The operations API. API Gateway has checked the caller's IAM authorization and the route. */
export const handler = httpHandler(async (request) => {
  const route = routes.get(request.routeKey);
  if (route === undefined) throw new Error(`the stack's route ${request.routeKey} has no handler`);
  return route.handle(request);
});

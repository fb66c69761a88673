import { createLargeMessageSender, createLargeMessages } from '../../shared/aws/archive-bucket.ts';
import { createBatchTable } from '../../shared/aws/batch-table.ts';
import { s3Client, sqsClient } from '../../shared/aws/clients.ts';
import { documentClient } from '../../shared/aws/document-client.ts';
import { createListingChangeQueue } from '../../shared/aws/event-queues.ts';
import { ledgerPorts } from '../../shared/aws/ledger-ports.ts';
import { createListingTable } from '../../shared/aws/listing-table.ts';
import { connectMarketplace } from '../../shared/aws/marketplace.ts';
import { createCommandQueue, createQueueSender } from '../../shared/aws/queue-sender.ts';
import { commandHandler } from '../../shared/lambda/command-handler.ts';
import { requestLog } from '../../shared/lambda/request-log.ts';
import { recordingReads } from '../../shared/listings/use-cases/recording-reads.ts';
import { productChangesOver } from '../../shared/marketplace/product-changes.ts';
import { productReadsOver } from '../../shared/marketplace/products.ts';
import { createProductDomain } from '../../shared/products/product-domain.ts';
import { receiveCommands } from '../../shared/requests/use-cases/receive-commands.ts';
import { environment } from '../../shared/settings/environment.ts';
import { systemClock } from '../../shared/time/system-clock.ts';

const tables = documentClient();
const s3 = s3Client();
const sqs = sqsClient();
const { call, limiter, secretKey } = connectMarketplace(environment, { tables, observer: requestLog });
const { archiveBucket } = environment;
const commandsQueue = createQueueSender(sqs, environment.productCommandsQueueUrl);
const listings = createListingTable(tables, environment);

const ports = {
  ...ledgerPorts(environment, { tables, s3 }),
  batches: createBatchTable(tables, environment.batchesTable, environment.recordRetentionDays),
  listings,
  changes: createListingChangeQueue(createQueueSender(sqs, environment.changesQueueUrl)),
  limiter,
  secretKey,
  commandQueue: createCommandQueue(createLargeMessageSender(commandsQueue, archiveBucket, s3)),
  calls: {
    ...productChangesOver(call),
    ...recordingReads(productReadsOver(call), { listings, clock: systemClock }),
  },
  itemsPerRequest: environment.itemsPerRequest,
  batchDeadlineMs: environment.batchDeadlineMinutes * 60_000,
};
const domain = createProductDomain(ports);

/** Performs product commands. Commands of one store and kind share requests. */
export const handler = commandHandler(createLargeMessages(archiveBucket, s3), (messages, time) =>
  receiveCommands(ports, domain, messages, time),
);

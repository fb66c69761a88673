import { createRequestArchive, createSummaryReader } from '../../shared/aws/archive-bucket.ts';
import { createAwsSender } from '../../shared/aws/aws-request.ts';
import { createBatchTable } from '../../shared/aws/batch-table.ts';
import { documentClient, eventBridgeClient, s3Client, sqsClient } from '../../shared/aws/clients.ts';
import { createEventPublisher } from '../../shared/aws/event-bus.ts';
import { createListingTable } from '../../shared/aws/listing-table.ts';
import { createQueueSender, createTicketQueue } from '../../shared/aws/queue-sender.ts';
import { createSummaryWriter } from '../../shared/aws/received-summaries.ts';
import { createRejectionTable } from '../../shared/aws/rejection-table.ts';
import { type BatchRecord, receivedSummarySchema } from '../../shared/batches/model.ts';
import { processSummary } from '../../shared/batches/use-cases/summaries.ts';
import { addLogKeys } from '../../shared/correlation/log-keys.ts';
import { logger } from '../../shared/lambda/observability.ts';
import { queueHandler } from '../../shared/lambda/queue-handler.ts';
import { rearmCreatedByBatch } from '../../shared/listings/use-cases/rearm.ts';
import { readEnvironment } from '../../shared/settings/environment.ts';
import { systemClock } from '../../shared/time/system-clock.ts';

const environment = readEnvironment([
  'batchesTable',
  'listingsTable',
  'waitingTable',
  'rejectionsTable',
  'archiveBucket',
  'wakeQueueUrl',
  'eventBusName',
]);
const tables = documentClient();

const rearming = {
  listings: createListingTable(tables, environment),
  tickets: createTicketQueue(createQueueSender(sqsClient(), environment.wakeQueueUrl)),
  archive: createRequestArchive(s3Client(), environment.archiveBucket),
  clock: systemClock,
};

const ports = {
  batches: createBatchTable(tables, environment.batchesTable),
  rejections: createRejectionTable(tables, environment.rejectionsTable),
  archive: {
    ...createSummaryReader(s3Client(), environment.archiveBucket),
    ...createSummaryWriter(createAwsSender(), environment.archiveBucket),
  },
  events: createEventPublisher(eventBridgeClient(), environment.eventBusName),
  onEnd: (batch: BatchRecord) => rearmCreatedByBatch(rearming, batch),
};

/** Summaries processed at the same time. */
const CONCURRENCY = 5;

/** Applies verified final summaries to their batches. */
export const handler = queueHandler(
  async ({ body }) => {
    const received = receivedSummarySchema.parse(JSON.parse(body));
    if ('archiveKey' in received) addLogKeys({ archiveKey: received.archiveKey });
    const result = await processSummary(ports, received);
    if ('rejectionId' in result) {
      const { storeClientId, origin, code, message: reason } = result;
      logger.warn('summary rejected', { storeClientId, origin, code, reason });
    } else {
      const { batchId, requestId, storeClientId, attemptId: recordId, commandId, state, rows } = result;
      const commandIds = result.commandIds ?? (commandId === undefined ? [] : [commandId]);
      const ids = { batchId, requestId, storeClientId, recordId, commandIds };
      logger.info('summary applied', { ...ids, state, rows });
    }
  },
  { limit: CONCURRENCY },
);

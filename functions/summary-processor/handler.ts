import { createRequestArchive, createSummaryArchive } from '../../shared/aws/archive-bucket.ts';
import { createBatchTable } from '../../shared/aws/batch-table.ts';
import { s3Client, sqsClient } from '../../shared/aws/clients.ts';
import { documentClient } from '../../shared/aws/document-client.ts';
import { createEventPublisher } from '../../shared/aws/event-bus.ts';
import { createListingChangeQueue } from '../../shared/aws/event-queues.ts';
import { createQueueSender } from '../../shared/aws/queue-sender.ts';
import { createRejectionTable } from '../../shared/aws/rejection-table.ts';
import { type BatchRecord, receivedSummarySchema } from '../../shared/batches/model.ts';
import { processSummary } from '../../shared/batches/use-cases/process-summary.ts';
import { addLogKeys } from '../../shared/correlation/log-keys.ts';
import { logger } from '../../shared/lambda/observability.ts';
import { queueHandler } from '../../shared/lambda/queue-handler.ts';
import { queueCreatedOfBatch } from '../../shared/products/created-products.ts';
import { environment } from '../../shared/settings/environment.ts';

const tables = documentClient();
const s3 = s3Client();

const created = {
  archive: createRequestArchive(environment.archiveBucket, s3),
  changes: createListingChangeQueue(createQueueSender(sqsClient(), environment.changesQueueUrl)),
};

const ports = {
  batches: createBatchTable(
    tables,
    environment.batchesTable,
    environment.recordRetentionDays,
    environment.summaryRetentionDays,
  ),
  rejections: createRejectionTable(tables, environment.rejectionsTable, environment.recordRetentionDays),
  archive: createSummaryArchive(environment.archiveBucket, s3),
  events: createEventPublisher(environment.eventBusName),
  onEnd: (batch: BatchRecord) => queueCreatedOfBatch(created, batch),
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
      // The function that later records the batch applies the summary.
      const message = state === 'unmatched' ? 'summary kept for its batch' : 'summary applied';
      logger.info(message, { ...ids, state, rows });
    }
  },
  { limit: CONCURRENCY },
);

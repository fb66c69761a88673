import { createBatchTable } from '../../shared/aws/batch-table.ts';
import { documentClient, eventBridgeClient, s3Client } from '../../shared/aws/clients.ts';
import { createEventPublisher } from '../../shared/aws/event-bus.ts';
import { createRejectionTable } from '../../shared/aws/rejection-table.ts';
import { createSummaryArchive } from '../../shared/aws/summary-archive.ts';
import { receivedSummarySchema } from '../../shared/batches/model.ts';
import { processSummary } from '../../shared/batches/use-cases/process-summary.ts';
import { logger } from '../../shared/lambda/observability.ts';
import { queueHandler } from '../../shared/lambda/queue-handler.ts';
import { readEnvironment } from '../../shared/settings/read-environment.ts';

const environment = readEnvironment(['batchesTable', 'rejectionsTable', 'archiveBucket', 'eventBusName']);
const tables = documentClient();

const ports = {
  batches: createBatchTable(tables, environment.batchesTable),
  rejections: createRejectionTable(tables, environment.rejectionsTable),
  archive: createSummaryArchive(s3Client(), environment.archiveBucket),
  events: createEventPublisher(eventBridgeClient(), environment.eventBusName),
};

/** Summaries worked on at a time. */
const CONCURRENCY = 5;

/** Takes verified final summaries to their batches. */
export const handler = queueHandler(
  async ({ body }) => {
    const received = receivedSummarySchema.parse(JSON.parse(body));
    const result = await processSummary(ports, received);
    if ('rejectionId' in result) {
      logger.warn('summary not usable', {
        archiveKey: received.archiveKey,
        code: result.code,
        reason: result.message,
      });
    } else {
      const { batchId, state, rows } = result;
      logger.info('summary taken', { batchId, state, rows, archiveKey: received.archiveKey });
    }
  },
  { limit: CONCURRENCY },
);

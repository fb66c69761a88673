import { createBatchTable } from '../../shared/aws/batch-table.ts';
import { s3Client, sqsClient } from '../../shared/aws/clients.ts';
import { documentClient } from '../../shared/aws/document-client.ts';
import { createEventPublisher } from '../../shared/aws/event-bus.ts';
import { createFileRowQueue, createImportQueue } from '../../shared/aws/event-queues.ts';
import { createFileReceiptTable } from '../../shared/aws/file-receipt-table.ts';
import { createImportBucket, createImportReports } from '../../shared/aws/import-bucket.ts';
import { createImportTable, createReadingPlaceTable } from '../../shared/aws/input-table.ts';
import { createStoreListings } from '../../shared/aws/listing-table.ts';
import { createQueueSender } from '../../shared/aws/queue-sender.ts';
import { createRejectionTable } from '../../shared/aws/rejection-table.ts';
import { createStoreTable } from '../../shared/aws/store-table.ts';
import { addLogKeys } from '../../shared/correlation/log-keys.ts';
import { type ContinuedImport, importMessageSchema } from '../../shared/imports/import-message.ts';
import type { AnnouncedFile } from '../../shared/imports/ports.ts';
import { followRows } from '../../shared/imports/use-cases/follow-rows.ts';
import { continueFull } from '../../shared/imports/use-cases/full-file.ts';
import { importFile } from '../../shared/imports/use-cases/import-file.ts';
import { beginSecondReading } from '../../shared/imports/use-cases/read-again.ts';
import { addCount, logger } from '../../shared/lambda/observability.ts';
import { queueHandler } from '../../shared/lambda/queue-handler.ts';
import { environment } from '../../shared/settings/environment.ts';
import { systemClock } from '../../shared/time/system-clock.ts';
import type { EpochMs } from '../../shared/time/times.ts';

const tables = documentClient();
const s3 = s3Client('large');
const sqs = sqsClient();
const importQueue = createQueueSender(sqs, environment.catalogImportQueueUrl);

const ports = {
  files: createImportBucket(s3),
  reports: createImportReports(s3),
  stores: createStoreTable(tables, environment.storesTable),
  rejections: createRejectionTable(tables, environment.rejectionsTable, environment.recordRetentionDays),
  imports: createImportTable(tables, environment.inputsTable, environment.recordRetentionDays),
  readingPlaces: createReadingPlaceTable(tables, environment.inputsTable),
  clock: systemClock,
  storeListings: createStoreListings(tables, environment.listingsTable),
  receipts: createFileReceiptTable(tables, environment.changeEventsTable, environment.recordRetentionDays),
  queue: createFileRowQueue({
    productCommands: createQueueSender(sqs, environment.productCommandsQueueUrl),
    changes: createQueueSender(sqs, environment.changesQueueUrl),
  }),
  importQueue: createImportQueue(importQueue),
  batches: createBatchTable(tables, environment.batchesTable, environment.recordRetentionDays),
  events: createEventPublisher(environment.eventBusName),
};

/** After this part of its time, the function leaves the rest of its work to another invocation. */
const WORKING = 0.8;

interface Times {
  /** When the function leaves the rest to another invocation. */
  readonly stopAt: EpochMs;
  /** When the invocation is stopped, even in the middle of its work. */
  readonly endsAt: EpochMs;
}

/** Streams files of the import bucket into events, follows their rows, and works on listings that files under `full/` do not name. */
export const handler = queueHandler(async ({ body }, context) => {
  const message = importMessageSchema.parse(JSON.parse(body));
  const now = systemClock.now();
  const remaining = context.getRemainingTimeInMillis();
  const times = { stopAt: now + remaining * WORKING, endsAt: now + remaining };
  if ('key' in message) return importAnnounced(message, body, times);
  addLogKeys({ importId: message.importId });
  if (message.isFollowed) return follow(message, times);
  if (message.notation === undefined) return workOnFull(message, times);
  const file = await beginSecondReading(ports.imports, message.importId, message.notation);
  return file === undefined ? logger.info('nothing to import') : importAnnounced(file, body, times);
});

/** @param body the message, which is sent again for the rest of the file */
async function importAnnounced(file: AnnouncedFile, body: string, times: Times): Promise<void> {
  const { bucket, key } = file;
  addLogKeys({ bucket, key });
  const result = await importFile(ports, file, {
    ...times,
    goOn: (delayMs = 0) => importQueue.send([body], { delayMs }),
  });
  if (result === undefined) return logger.info('nothing to import');
  addCount('CatalogRowsImported', result.sent);
  addCount('RowsRejected', result.rejected);
  logger.info(result.isRead ? 'file imported' : 'part of a file imported', { ...result });
}

async function follow({ importId }: ContinuedImport, { stopAt }: Times): Promise<void> {
  const hasEnded = await followRows(ports, importId, stopAt);
  logger.info('rows of a file followed', { hasEnded });
}

async function workOnFull({ importId, isReleased }: ContinuedImport, { stopAt }: Times): Promise<void> {
  const state = await continueFull(ports, importId, { stopAt, isReleased });
  logger.info('full file continued', { state });
}

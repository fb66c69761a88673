import * as z from 'zod';
import { createBatchTable } from '../../shared/aws/batch-table.ts';
import { sqsClient } from '../../shared/aws/clients.ts';
import { documentClient } from '../../shared/aws/document-client.ts';
import { createEventPublisher } from '../../shared/aws/event-bus.ts';
import { createFileRowQueue } from '../../shared/aws/event-queues.ts';
import { createFileReceiptTable } from '../../shared/aws/file-receipt-table.ts';
import { createImportBucket, createImportReports } from '../../shared/aws/import-bucket.ts';
import { createImportTable, createReadingPlaceTable } from '../../shared/aws/input-table.ts';
import { createStoreListings } from '../../shared/aws/listing-table.ts';
import { createQueueSender } from '../../shared/aws/queue-sender.ts';
import { createRejectionTable } from '../../shared/aws/rejection-table.ts';
import { createStoreTable } from '../../shared/aws/store-table.ts';
import { addLogKeys } from '../../shared/correlation/log-keys.ts';
import { objectCreatedSchema } from '../../shared/imports/file/announced-file.ts';
import { followRows } from '../../shared/imports/use-cases/follow-rows.ts';
import { continueFull } from '../../shared/imports/use-cases/full-file.ts';
import { importFile } from '../../shared/imports/use-cases/import-file.ts';
import { beginSecondReading } from '../../shared/imports/use-cases/read-again.ts';
import { addCount, logger } from '../../shared/lambda/observability.ts';
import { queueHandler } from '../../shared/lambda/queue-handler.ts';
import { environment } from '../../shared/settings/environment.ts';
import { notationSchema } from '../../shared/stores/notation.ts';
import { systemClock } from '../../shared/time/system-clock.ts';

const tables = documentClient();

const ports = {
  files: createImportBucket(),
  reports: createImportReports(),
  stores: createStoreTable(tables, environment.storesTable),
  rejections: createRejectionTable(tables, environment.rejectionsTable, environment.recordRetentionDays),
  imports: createImportTable(tables, environment.inputsTable, environment.recordRetentionDays),
  readingPlaces: createReadingPlaceTable(tables, environment.inputsTable),
  clock: systemClock,
  storeListings: createStoreListings(tables, environment.listingsTable),
  receipts: createFileReceiptTable(tables, environment.changeEventsTable, environment.recordRetentionDays),
  queue: createFileRowQueue({
    productCommands: createQueueSender(sqsClient(), environment.productCommandsQueueUrl),
    changes: createQueueSender(sqsClient(), environment.changesQueueUrl),
  }),
  batches: createBatchTable(tables, environment.batchesTable, environment.recordRetentionDays),
  events: createEventPublisher(environment.eventBusName),
};

const again = createQueueSender(sqsClient(), environment.catalogImportQueueUrl);

/** Part of the function's time after which it leaves the rest of a file to another invocation. */
const READING = 0.8;

/** A file that was read to its end, or released. */
const continuedImportSchema = z.object({
  importId: z.string(),
  /** Whether its rows are followed, which is a work of its own. */
  isFollowed: z.boolean().default(false),
  isReleased: z.boolean().default(false),
  /** How the file writes numbers, as a person says. */
  notation: notationSchema.optional(),
});
const messageSchema = z.union([objectCreatedSchema, continuedImportSchema]);

/** The file that a person has released by the notation of its numbers. */
async function fileOf({ importId, notation }: z.infer<typeof continuedImportSchema>) {
  return notation && beginSecondReading(ports.imports, importId, notation);
}

/** Streams files of the import bucket into events, follows their rows, and works on what files under `full/` do not name. */
export const handler = queueHandler(async ({ body }, context) => {
  const message = messageSchema.parse(JSON.parse(body));
  const remaining = context.getRemainingTimeInMillis();
  const stopAt = systemClock.now() + remaining * READING;
  const continueLater = (importId: string, delayMs = 0) =>
    again.send([JSON.stringify({ importId })], { delayMs });
  const followLater = (importId: string, delayMs = 0) =>
    again.send([JSON.stringify({ importId, isFollowed: true })], { delayMs });
  if (!('key' in message) && message.notation === undefined) {
    const { importId, isReleased } = message;
    addLogKeys({ importId });
    if (message.isFollowed) {
      const hasEnded = await followRows(ports, importId, {
        stopAt,
        later: (delayMs) => followLater(importId, delayMs),
      });
      return logger.info('rows of a file followed', { hasEnded });
    }
    const later = (delayMs: number) => continueLater(importId, delayMs);
    const state = await continueFull(ports, importId, { stopAt, isReleased, later });
    return logger.info('full file continued', { state });
  }
  const file = 'key' in message ? message : await fileOf(message);
  if (file === undefined) return logger.info('nothing to import');
  const { bucket, key } = file;
  addLogKeys({ bucket, key });
  const endsAt = systemClock.now() + remaining;
  const goOn = (delayMs = 0) => again.send([body], { delayMs });
  const result = await importFile(ports, file, {
    stopAt,
    endsAt,
    goOn,
    endFull: continueLater,
    follow: followLater,
  });
  if (result === undefined) return logger.info('nothing to import');
  addCount('CatalogRowsImported', result.sent);
  addCount('RowsRejected', result.rejected);
  logger.info(result.isRead ? 'file imported' : 'part of a file imported', { ...result });
});

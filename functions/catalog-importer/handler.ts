import { MetricUnit } from '@aws-lambda-powertools/metrics';
import { documentClient, eventBridgeClient, s3Client, sqsClient } from '../../shared/aws/clients.ts';
import { createEventPublisher } from '../../shared/aws/event-bus.ts';
import { createProductCommandQueue } from '../../shared/aws/event-queues.ts';
import { createImportBucket } from '../../shared/aws/import-bucket.ts';
import { createImportTable } from '../../shared/aws/input-table.ts';
import { createQueueSender } from '../../shared/aws/queue-sender.ts';
import { createRejectionTable } from '../../shared/aws/rejection-table.ts';
import { createStoreTable } from '../../shared/aws/store-table.ts';
import { addLogKeys } from '../../shared/correlation/log-keys.ts';
import { logger, metrics } from '../../shared/lambda/observability.ts';
import { queueHandler } from '../../shared/lambda/queue-handler.ts';
import { objectCreatedSchema } from '../../shared/products/catalog-file/announced-file.ts';
import { importCatalogFile } from '../../shared/products/use-cases/import-catalog-file.ts';
import { readEnvironment } from '../../shared/settings/environment.ts';
import { systemClock } from '../../shared/time/system-clock.ts';

const environment = readEnvironment([
  'storesTable',
  'rejectionsTable',
  'inputsTable',
  'productCommandsQueueUrl',
  'catalogImportQueueUrl',
  'eventBusName',
  'recordRetentionDays',
]);
const tables = documentClient();

const ports = {
  files: createImportBucket(s3Client()),
  stores: createStoreTable(tables, environment.storesTable),
  rejections: createRejectionTable(tables, environment.rejectionsTable, environment.recordRetentionDays),
  imports: createImportTable(tables, environment.inputsTable, environment.recordRetentionDays),
  clock: systemClock,
  queue: createProductCommandQueue(createQueueSender(sqsClient(), environment.productCommandsQueueUrl)),
  events: createEventPublisher(eventBridgeClient(), environment.eventBusName),
};

const again = createQueueSender(sqsClient(), environment.catalogImportQueueUrl);

/** Part of the function's time after which it leaves the rest of a file to another invocation. */
const READING = 0.8;

/** Streams catalog files of the import bucket into product commands. Files outside of `catalog/` are rejected. */
export const handler = queueHandler(async ({ body }, context) => {
  const file = objectCreatedSchema.parse(JSON.parse(body));
  const { bucket, key } = file;
  addLogKeys({ bucket, key });
  const result = await importCatalogFile(ports, file, {
    stopAt: systemClock.now() + context.getRemainingTimeInMillis() * READING,
    goOn: () => again.send([body]),
  });
  if (result === undefined) return logger.info('catalog file was imported before, or is being imported');
  metrics.addMetric('CatalogRowsImported', MetricUnit.Count, result.sent);
  metrics.addMetric('RowsRejected', MetricUnit.Count, result.rejected);
  logger.info(result.isRead ? 'catalog file imported' : 'part of a catalog file imported', {
    ...result,
  });
});

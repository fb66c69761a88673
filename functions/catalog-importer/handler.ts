import { MetricUnit } from '@aws-lambda-powertools/metrics';
import { documentClient, eventBridgeClient, s3Client, sqsClient } from '../../shared/aws/clients.ts';
import { createEventPublisher } from '../../shared/aws/event-bus.ts';
import { createProductCommandQueue } from '../../shared/aws/event-queues.ts';
import { createImportBucket } from '../../shared/aws/import-bucket.ts';
import { createQueueSender } from '../../shared/aws/queue-sender.ts';
import { createRejectionTable } from '../../shared/aws/rejection-table.ts';
import { createStoreTable } from '../../shared/aws/store-table.ts';
import { logger, metrics } from '../../shared/lambda/observability.ts';
import { queueHandler } from '../../shared/lambda/queue-handler.ts';
import { objectCreatedSchema } from '../../shared/products/catalog-file/announced-file.ts';
import { importCatalogFile } from '../../shared/products/use-cases/import-catalog-file.ts';
import { readEnvironment } from '../../shared/settings/environment.ts';

const environment = readEnvironment([
  'storesTable',
  'rejectionsTable',
  'productCommandsQueueUrl',
  'eventBusName',
]);
const tables = documentClient();

const ports = {
  files: createImportBucket(s3Client()),
  stores: createStoreTable(tables, environment.storesTable),
  rejections: createRejectionTable(tables, environment.rejectionsTable),
  queue: createProductCommandQueue(createQueueSender(sqsClient(), environment.productCommandsQueueUrl)),
  events: createEventPublisher(eventBridgeClient(), environment.eventBusName),
};

/** Streams each catalog file that was put into the import bucket into product commands. */
export const handler = queueHandler(async ({ body }) => {
  const file = objectCreatedSchema.parse(JSON.parse(body));
  const result = await importCatalogFile(ports, file);
  metrics.addMetric('CatalogRowsImported', MetricUnit.Count, result.sent);
  metrics.addMetric('RowsRejected', MetricUnit.Count, result.rejected);
  logger.info('catalog file read', { bucket: file.bucket, key: file.key, ...result });
});

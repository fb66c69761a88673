import { Duration } from 'aws-cdk-lib';
import { type ConnectorParts, createFunction } from '../connector-parts.ts';
import type { ConnectorFunction } from '../constructs/connector-function.ts';

/** Streams a catalog file from the import bucket into product commands. */
export function catalogImporter(parts: ConnectorParts): ConnectorFunction {
  const fn = createFunction(parts, 'catalog-importer', {
    description: 'Streams catalog files into product commands',
    timeout: Duration.minutes(15),
    memorySize: 1024,
  });
  const { tables, queues, buckets, bus } = parts;
  // All files: one outside of catalog/ is rejected, so that it is not ignored in silence.
  buckets.imports.announce(queues.catalogImport);
  queues.catalogImport.feed(fn, { batchSize: 1, maxConcurrency: 2 });
  buckets.imports.allowGet(fn);
  tables.stores.allow(fn, 'GetItem');
  tables.rejections.allow(fn, 'BatchWriteItem');
  tables.inputs.allow(fn, 'GetItem', 'PutItem');
  queues.productCommands.allowSend(fn);
  bus.allowPut(fn);
  return fn;
}

/** Performs product commands: syncs, creations, updates and deletions. */
export function productProducer(parts: ConnectorParts): ConnectorFunction {
  const fn = createFunction(parts, 'product-producer', {
    description: 'Sends product commands to the marketplace',
    timeout: Duration.minutes(2),
    memorySize: 1024,
    feedsItself: true,
  });
  const { tables, queues, buckets } = parts;
  const { itemsPerRequest, batchDeadlineMinutes } = parts.settings;
  // Few at a time, so that each gets many commands to send together.
  queues.productCommands.feed(fn, { batchSize: 1000, maxConcurrency: 2 });
  queues.productCommands.allowSend(fn);
  allowCommands(parts, fn);
  tables.batches.allow(fn, 'GetItem', 'PutItem');
  tables.listings.allow(fn, 'GetItem', 'BatchGetItem', 'PutItem');
  buckets.archive.allowPut(fn);
  queues.changes.allowSend(fn);
  queues.wake.allowSend(fn);
  return fn.set({ itemsPerRequest, batchDeadlineMinutes });
}

/** Performs order commands: decisions and dropoffs. */
export function orderProducer(parts: ConnectorParts): ConnectorFunction {
  const fn = createFunction(parts, 'order-producer', {
    description: 'Sends decisions and dropoffs of orders to the marketplace',
    // In its second half there is time for the last request and its repetitions.
    timeout: Duration.seconds(110),
    feedsItself: true,
  });
  const { tables, queues, buckets } = parts;
  const { itemsPerRequest, batchDeadlineMinutes } = parts.settings;
  queues.orderCommands.feed(fn, { batchSize: 10, maxConcurrency: 5 });
  queues.orderCommands.allowSend(fn);
  allowCommands(parts, fn);
  tables.orders.allow(fn, 'GetItem', 'PutItem');
  tables.batches.allow(fn, 'GetItem', 'PutItem');
  buckets.archive.allowPut(fn);
  return fn.set({ itemsPerRequest, batchDeadlineMinutes });
}

/** Fetches shipping labels and invoices and stores them. */
export function documentFetcher(parts: ConnectorParts): ConnectorFunction {
  const fn = createFunction(parts, 'document-fetcher', {
    description: 'Fetches shipping labels and invoices into the document bucket',
    timeout: Duration.minutes(1),
    feedsItself: true,
  });
  const { tables, queues, buckets } = parts;
  const { documentWaitMinutes } = parts.settings;
  queues.documentCommands.feed(fn, { batchSize: 1, maxConcurrency: 5 });
  queues.documentCommands.allowSend(fn);
  allowCommands(parts, fn);
  tables.orders.allow(fn, 'GetItem', 'PutItem');
  buckets.archive.allowPut(fn, 'requests/');
  buckets.documents.allowGet(fn);
  buckets.documents.allowPut(fn);
  buckets.documents.allowList(fn);
  return fn.set({ documentWaitMinutes });
}

/** What every function that performs commands does: it opens them, sends requests, records and reports these. */
function allowCommands({ tables, buckets, bus, marketplace }: ConnectorParts, fn: ConnectorFunction): void {
  marketplace.allowRequests(fn);
  tables.stores.allow(fn, 'GetItem', 'UpdateItem');
  tables.requests.allow(fn, 'GetItem', 'BatchGetItem', 'PutItem');
  tables.rejections.allow(fn, 'BatchWriteItem');
  buckets.archive.allowGet(fn);
  buckets.archive.allowList(fn);
  bus.allowPut(fn);
}

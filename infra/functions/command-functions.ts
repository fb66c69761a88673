import { Duration } from 'aws-cdk-lib';
import type { ConnectorParts, FunctionDefinitions } from '../connector-parts.ts';
import type { ConnectorFunction } from '../constructs/connector-function.ts';
import type { ConnectorSettings } from '../settings.ts';

/** Prefix of the reports that the importer writes into the import bucket. */
const REPORTS = 'reports/';

export const commandFunctions = {
  'catalog-importer': {
    description: 'Streams files of catalogs, stock and prices into commands and changes',
    // Longer files are read in parts. After a crash, SQS redelivers after 6 × this timeout.
    timeout: Duration.minutes(5),
    connect: (fn, { tables, queues, buckets, bus }) => {
      // Of all files but its own reports, so that one in another folder is rejected with a reason.
      buckets.imports.announce(queues.catalogImport, REPORTS);
      // Files of one store take half of them at most.
      queues.catalogImport.feed(fn, { batchSize: 1, maxConcurrency: 4 });
      queues.catalogImport.allowSend(fn);
      buckets.imports.allowGet(fn);
      buckets.imports.allowPut(fn, REPORTS);
      tables.stores.allow(fn, 'GetItem');
      tables.rejections.allow(fn, 'BatchWriteItem');
      tables.inputs.allow(fn, 'GetItem', 'PutItem');
      tables.listings.allow(fn, 'Query');
      tables.changeEvents.allow(fn, 'Query');
      queues.productCommands.allowSend(fn);
      queues.changes.allowSend(fn);
      bus.allowPut(fn);
    },
  },
  'product-producer': {
    description: 'Sends product commands to the marketplace',
    timeout: Duration.minutes(2),
    memorySize: 1024,
    settings: ['itemsPerRequest', 'batchDeadlineMinutes'],
    connect: (fn, parts) => {
      const { tables, queues, buckets } = parts;
      // Two invocations at most, so that each gets many commands to send in one request.
      queues.productCommands.feed(fn, { batchSize: 1000, maxConcurrency: 2 });
      queues.productCommands.allowSend(fn);
      allowCommands(parts, fn);
      tables.batches.allow(fn, 'GetItem', 'PutItem');
      tables.listings.allow(fn, 'GetItem', 'BatchGetItem', 'PutItem', 'Query');
      tables.waiting.allow(fn, 'BatchWriteItem', 'DeleteItem');
      buckets.archive.allowPut(fn);
      queues.changes.allowSend(fn);
    },
  },
  'order-producer': {
    description: 'Sends decisions and dropoffs of orders to the marketplace',
    // The second half is for the last request and its retries.
    timeout: Duration.seconds(110),
    settings: ['itemsPerRequest', 'batchDeadlineMinutes'],
    connect: (fn, parts) => {
      const { tables, queues, buckets } = parts;
      // Few at a time, so that each gets many commands to send together.
      queues.orderCommands.feed(fn, { batchSize: 1000, maxConcurrency: 2 });
      queues.orderCommands.allowSend(fn);
      allowCommands(parts, fn);
      tables.orders.allow(fn, 'GetItem', 'PutItem');
      tables.batches.allow(fn, 'GetItem', 'PutItem');
      buckets.archive.allowPut(fn);
    },
  },
  'document-fetcher': {
    description: 'Fetches shipping labels and invoices into the document bucket',
    timeout: Duration.minutes(1),
    settings: ['documentWaitMinutes'],
    connect: (fn, parts) => {
      const { settings, tables, queues, buckets } = parts;
      queues.documentCommands.feed(fn, { batchSize: 1, maxConcurrency: documentsAtATime(settings) });
      queues.documentCommands.allowSend(fn);
      allowCommands(parts, fn);
      tables.orders.allow(fn, 'GetItem', 'PutItem');
      buckets.archive.allowPut(fn, 'requests/');
      buckets.documents.allowGet(fn);
      buckets.documents.allowPut(fn);
    },
  },
} satisfies FunctionDefinitions;

/** The most documents that are fetched at a time. */
const MOST_DOCUMENTS = 5;
/** The least maximum concurrency that SQS allows. */
const FEWEST_AT_A_TIME = 2;

/** One fewer than requests may be in flight: zero stock must not wait for documents, which are slow to make. */
function documentsAtATime({ requestsInFlight }: ConnectorSettings): number {
  return Math.max(FEWEST_AT_A_TIME, Math.min(MOST_DOCUMENTS, requestsInFlight - 1));
}

/** The grants of every function that performs commands. */
function allowCommands({ tables, buckets, bus, marketplace }: ConnectorParts, fn: ConnectorFunction): void {
  marketplace.allowRequests(fn);
  tables.requests.allow(fn, 'GetItem', 'BatchGetItem', 'PutItem', 'BatchWriteItem');
  tables.rejections.allow(fn, 'BatchWriteItem');
  buckets.archive.allowGet(fn);
  bus.allowPut(fn);
}

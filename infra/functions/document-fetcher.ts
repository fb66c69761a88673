import { Duration } from 'aws-cdk-lib';
import type { FunctionDefinition } from '../connector-parts.ts';
import type { ConnectorSettings } from '../settings.ts';
import { allowCommands } from './allow-commands.ts';

export const documentFetcher: FunctionDefinition = {
  description: 'Fetches shipping labels and invoices into the document bucket',
  timeout: Duration.minutes(1),
  settings: ['documentWaitMinutes'],
  connect: (fn, parts) => {
    const { settings, tables, queues, buckets } = parts;
    queues.documentCommands.feed(fn, { batchSize: 1, maxConcurrency: documentsAtATime(settings) });
    queues.documentCommands.allowSend(fn);
    allowCommands(parts, fn);
    tables.orders.allow(fn, 'GetItem', 'PutItem');
    buckets.documents.allowGet(fn);
    buckets.documents.allowPut(fn);
  },
};

/** Most documents that are fetched at a time. */
const MOST_DOCUMENTS = 5;
/** SQS allows no lower maximum concurrency. */
const FEWEST_AT_A_TIME = 2;

/** Leaves one of the requests in flight free: zero stock must not wait for documents, which the marketplace makes slowly. */
function documentsAtATime({ requestsInFlight }: ConnectorSettings): number {
  return Math.max(FEWEST_AT_A_TIME, Math.min(MOST_DOCUMENTS, requestsInFlight - 1));
}

import { Duration } from 'aws-cdk-lib';
import { ARCHIVED } from '../../shared/settings/stack-rules.ts';
import type { FunctionDefinition } from '../connector-parts.ts';

/**
 * An HTTP API waits at most 30 s for its function. The renaming of a store must also end while the route holds the lane (`HELD_FOR_MS`).
 */
const timeout = Duration.seconds(29);

export const operationsApi: FunctionDefinition = {
  description: 'Stores, batches, listings and documents over HTTP',
  timeout,
  settings: [
    'itemsPerRequest',
    'batchDeadlineMinutes',
    'pageSize',
    'productNames',
    'orderNames',
    'archiveRetentionDays',
    'documentRetentionDays',
  ],
  connect: (fn, { tables, queues, buckets, bus, marketplace }) => {
    marketplace.allowRequests(fn);
    tables.stores.allow(fn, 'Scan');
    tables.batches.allow(fn, 'GetItem', 'BatchGetItem', 'PutItem', 'Query byStore', 'Query byState');
    tables.requests.allow(fn, 'GetItem', 'BatchGetItem', 'PutItem', 'BatchWriteItem', 'Query open');
    tables.sessions.allow(fn, 'GetItem', 'PutItem');
    tables.listings.allow(
      fn,
      'GetItem',
      'BatchGetItem',
      'PutItem',
      'DeleteItem',
      'Query',
      'Query byProductId',
    );
    tables.waiting.allow(fn, 'Query', 'BatchWriteItem', 'DeleteItem');
    tables.lanes.allow(fn, 'GetItem', 'BatchGetItem', 'UpdateItem');
    tables.guards.allow(fn, 'GetItem', 'PutItem', 'Query held');
    tables.orders.allow(
      fn,
      'GetItem',
      'BatchGetItem',
      'PutItem',
      'DeleteItem',
      'Query unknown',
      'Query recent',
    );
    tables.rejections.allow(fn, 'Query', 'BatchWriteItem', 'Query bySource');
    tables.drift.allow(fn, 'Query', 'GetItem', 'PutItem', 'Query contested');
    tables.verifications.allow(fn, 'GetItem');
    tables.inputs.allow(fn, 'GetItem', 'PutItem', 'Query byStore');
    tables.changeEvents.allow(fn, 'Query');
    buckets.documents.allowGet(fn);
    buckets.documents.allowDelete(fn);
    buckets.archive.allowGet(fn, ARCHIVED.requests);
    buckets.archive.allowPut(fn, ARCHIVED.messages);
    queues.changes.allowSend(fn);
    queues.wake.allowSend(fn);
    queues.productCommands.allowSend(fn);
    queues.orderCommands.allowSend(fn);
    queues.documentCommands.allowSend(fn);
    queues.catalogImport.allowSend(fn);
    // The route only reads how many messages this queue has, and needs no right to send.
    fn.set({ summariesQueueUrl: queues.summaries.queue.queueUrl });
    for (const queue of Object.values(queues)) queue.allowLook(fn);
    bus.allowPut(fn);
  },
};

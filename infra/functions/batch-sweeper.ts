import { Duration } from 'aws-cdk-lib';
import { ARCHIVED } from '../../shared/settings/stack-rules.ts';
import type { FunctionDefinition } from '../connector-parts.ts';

export const batchSweeper: FunctionDefinition = {
  description: 'Resolves batches past their deadline and abandoned requests, or reports them',
  timeout: Duration.minutes(4),
  settings: ['batchDeadlineMinutes', 'itemsPerRequest', 'pageSize'],
  connect: (fn, { tables, queues, buckets, bus, marketplace }) => {
    fn.startEvery('EveryFiveMinutes', Duration.minutes(5));
    marketplace.allowRequests(fn);
    tables.batches.allow(fn, 'GetItem', 'BatchGetItem', 'PutItem', 'Query byState');
    tables.requests.allow(fn, 'GetItem', 'BatchGetItem', 'PutItem', 'BatchWriteItem', 'Query open');
    tables.orders.allow(fn, 'GetItem', 'PutItem');
    tables.rejections.allow(fn, 'BatchWriteItem');
    tables.listings.allow(fn, 'GetItem', 'BatchGetItem', 'PutItem', 'Query');
    tables.waiting.allow(fn, 'BatchWriteItem', 'DeleteItem');
    tables.stores.allow(fn, 'Scan');
    buckets.archive.allowGet(fn, ARCHIVED.requests);
    buckets.archive.allowPut(fn, ARCHIVED.requests);
    buckets.documents.allowGet(fn);
    queues.changes.allowSend(fn);
    bus.allowPut(fn);
  },
};

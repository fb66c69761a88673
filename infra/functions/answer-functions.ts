import { Duration } from 'aws-cdk-lib';
import type { FunctionDefinitions } from '../connector-parts.ts';

export const answerFunctions = {
  'webhook-receiver': {
    description: 'Verifies and queues final summaries',
    timeout: Duration.seconds(10),
    settings: ['webhookVerification', 'webhookReplayWindowSeconds'],
    connect: (fn, { queues, buckets, marketplace }) => {
      marketplace.allowSecret(fn);
      buckets.archive.allowPut(fn, 'webhooks/');
      queues.summaries.allowSend(fn);
    },
  },
  'summary-processor': {
    description: 'Completes batches by their final summaries',
    timeout: Duration.minutes(1),
    connect: (fn, { tables, queues, buckets, bus }) => {
      queues.summaries.feed(fn, { batchSize: 10, maxConcurrency: 5 });
      tables.batches.allow(fn, 'GetItem', 'PutItem');
      tables.rejections.allow(fn, 'BatchWriteItem');
      buckets.archive.allowGet(fn);
      buckets.archive.allowPut(fn, 'webhooks/');
      queues.changes.allowSend(fn);
      bus.allowPut(fn);
    },
  },
  'batch-sweeper': {
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
      buckets.archive.allowGet(fn);
      buckets.archive.allowPut(fn, 'requests/');
      buckets.documents.allowGet(fn);
      queues.changes.allowSend(fn);
      bus.allowPut(fn);
    },
  },
} satisfies FunctionDefinitions;

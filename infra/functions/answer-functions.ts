import { Duration } from 'aws-cdk-lib';
import { type ConnectorParts, createFunction } from '../connector-parts.ts';
import type { ConnectorFunction } from '../constructs/connector-function.ts';

/** Takes final summaries in: checks their signature, archives them raw and queues them. */
export function webhookReceiver(parts: ConnectorParts): ConnectorFunction {
  const fn = createFunction(parts, 'webhook-receiver', {
    description: 'Verifies, archives and queues final summaries',
    timeout: Duration.seconds(10),
  });
  const { webhookVerification, webhookReplayWindowSeconds } = parts.settings;
  parts.marketplace.allowSecret(fn);
  parts.buckets.archive.allowPut(fn);
  parts.queues.summaries.allowSend(fn);
  return fn.set({ webhookVerification, webhookReplayWindowSeconds });
}

/** Brings final summaries and batches together. */
export function summaryProcessor(parts: ConnectorParts): ConnectorFunction {
  const fn = createFunction(parts, 'summary-processor', {
    description: 'Completes batches by their final summaries',
    timeout: Duration.minutes(1),
  });
  const { tables, queues, buckets, bus } = parts;
  queues.summaries.feed(fn, { batchSize: 10, maxConcurrency: 5 });
  tables.batches.allow(fn, 'GetItem', 'PutItem');
  tables.listings.allow(fn, 'GetItem', 'PutItem');
  tables.rejections.allow(fn, 'BatchWriteItem');
  buckets.archive.allowGet(fn);
  queues.wake.allowSend(fn);
  bus.allowPut(fn);
  return fn;
}

/**
 * Every 5 minutes, resolves the batches that are open past their deadline and the requests that were abandoned, or
 * reports them; and publishes the events of batches and stores that were left over.
 */
export function batchSweeper(parts: ConnectorParts): ConnectorFunction {
  const fn = createFunction(parts, 'batch-sweeper', {
    description: 'Resolves batches past their deadline and abandoned requests, or reports them',
    timeout: Duration.minutes(4),
  });
  const { tables, queues, buckets, bus, marketplace } = parts;
  const { batchDeadlineMinutes, itemsPerRequest, pageSize } = parts.settings;
  fn.startEvery('EveryFiveMinutes', Duration.minutes(5));
  marketplace.allowRequests(fn);
  tables.batches.allow(fn, 'GetItem', 'PutItem');
  tables.batches.allowQuery(fn, 'byState');
  tables.batches.allowQuery(fn, 'unannounced');
  tables.requests.allow(fn, 'GetItem', 'PutItem');
  tables.requests.allowQuery(fn, 'open');
  tables.orders.allow(fn, 'GetItem', 'PutItem');
  tables.rejections.allow(fn, 'BatchWriteItem');
  tables.listings.allow(fn, 'GetItem', 'BatchGetItem', 'PutItem');
  tables.stores.allow(fn, 'GetItem', 'UpdateItem', 'Scan');
  buckets.archive.allowGet(fn);
  buckets.archive.allowPut(fn, 'requests/');
  buckets.archive.allowList(fn);
  buckets.documents.allowGet(fn);
  buckets.documents.allowList(fn);
  queues.changes.allowSend(fn);
  queues.wake.allowSend(fn);
  bus.allowPut(fn);
  return fn.set({ batchDeadlineMinutes, itemsPerRequest, pageSize });
}

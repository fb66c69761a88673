import { Duration } from 'aws-cdk-lib';
import { ARCHIVED } from '../../shared/settings/stack-rules.ts';
import type { FunctionDefinition } from '../connector-parts.ts';

export const summaryProcessor: FunctionDefinition = {
  description: 'Completes batches by their final summaries',
  timeout: Duration.minutes(1),
  settings: ['summaryRetentionDays'],
  connect: (fn, { tables, queues, buckets, bus }) => {
    queues.summaries.feed(fn, { batchSize: 10, maxConcurrency: 5 });
    tables.batches.allow(fn, 'GetItem', 'PutItem');
    tables.rejections.allow(fn, 'BatchWriteItem');
    buckets.archive.allowGet(fn, ARCHIVED.requests);
    buckets.archive.allowGet(fn, ARCHIVED.webhooks);
    buckets.archive.allowPut(fn, ARCHIVED.webhooks);
    queues.changes.allowSend(fn);
    bus.allowPut(fn);
  },
};

import { Duration } from 'aws-cdk-lib';
import { ARCHIVED } from '../../shared/settings/stack-rules.ts';
import type { FunctionDefinition } from '../connector-parts.ts';
import { allowCommands } from './allow-commands.ts';

export const productProducer: FunctionDefinition = {
  description: 'Sends product commands to the marketplace',
  timeout: Duration.minutes(2),
  memorySize: 1024,
  settings: ['itemsPerRequest', 'batchDeadlineMinutes'],
  connect: (fn, parts) => {
    const { tables, queues, buckets } = parts;
    // At most two invocations, so that each gets many commands to send in one request.
    queues.productCommands.feed(fn, { batchSize: 1000, maxConcurrency: 2 });
    queues.productCommands.allowSend(fn);
    allowCommands(parts, fn);
    tables.batches.allow(fn, 'GetItem', 'PutItem');
    tables.listings.allow(fn, 'GetItem', 'BatchGetItem', 'PutItem', 'Query');
    tables.waiting.allow(fn, 'BatchWriteItem', 'DeleteItem');
    buckets.archive.allowPut(fn, ARCHIVED.messages);
    queues.changes.allowSend(fn);
  },
};

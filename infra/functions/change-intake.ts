import { Duration } from 'aws-cdk-lib';
import type { FunctionDefinition } from '../connector-parts.ts';

export const changeIntake: FunctionDefinition = {
  description: 'Merges price and stock changes into the listings',
  timeout: Duration.minutes(1),
  memorySize: 1024,
  connect: (fn, { tables, queues, bus }) => {
    // Few invocations with large batches: several changes of one product in a batch cost one write.
    queues.changes.feed(fn, { batchSize: 1000, maxConcurrency: 5 });
    tables.listings.allow(fn, 'GetItem', 'BatchGetItem', 'PutItem', 'Query');
    tables.waiting.allow(fn, 'BatchWriteItem', 'DeleteItem');
    tables.guards.allow(fn, 'GetItem', 'PutItem');
    tables.stores.allow(fn, 'GetItem');
    tables.rejections.allow(fn, 'BatchWriteItem');
    tables.changeEvents.allow(fn, 'BatchWriteItem');
    queues.wake.allowSend(fn);
    bus.allowPut(fn);
  },
};

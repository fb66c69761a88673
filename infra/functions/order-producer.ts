import { Duration } from 'aws-cdk-lib';
import { ARCHIVED } from '../../shared/settings/stack-rules.ts';
import type { FunctionDefinition } from '../connector-parts.ts';
import { allowCommands } from './allow-commands.ts';

export const orderProducer: FunctionDefinition = {
  description: 'Sends decisions and dropoffs of orders to the marketplace',
  // The second half of the time is for the last request and its retries.
  timeout: Duration.seconds(110),
  settings: ['itemsPerRequest', 'batchDeadlineMinutes'],
  connect: (fn, parts) => {
    const { tables, queues, buckets } = parts;
    // Few invocations at a time, so that each gets many commands to send together.
    queues.orderCommands.feed(fn, { batchSize: 1000, maxConcurrency: 2 });
    queues.orderCommands.allowSend(fn);
    allowCommands(parts, fn);
    tables.orders.allow(fn, 'GetItem', 'PutItem');
    tables.batches.allow(fn, 'GetItem', 'PutItem');
    buckets.archive.allowPut(fn, ARCHIVED.messages);
  },
};

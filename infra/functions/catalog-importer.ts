import { Duration } from 'aws-cdk-lib';
import { REPORTS } from '../../shared/settings/stack-rules.ts';
import type { FunctionDefinition } from '../connector-parts.ts';

export const catalogImporter: FunctionDefinition = {
  description: 'Streams files of catalogs, stock and prices into commands and changes',
  // Longer files are read in parts. After a crash, SQS redelivers after 6 × this timeout.
  timeout: Duration.minutes(5),
  connect: (fn, { tables, queues, buckets, bus }) => {
    // All files are announced except the connector's reports, so that a file in a wrong folder is rejected with a reason.
    buckets.imports.announce(queues.catalogImport, REPORTS);
    // Files of one store take at most half of these invocations.
    queues.catalogImport.feed(fn, { batchSize: 1, maxConcurrency: 4 });
    queues.catalogImport.allowSend(fn);
    buckets.imports.allowGet(fn);
    buckets.imports.allowPut(fn, REPORTS);
    tables.stores.allow(fn, 'GetItem');
    tables.rejections.allow(fn, 'BatchWriteItem');
    tables.inputs.allow(fn, 'GetItem', 'PutItem');
    tables.listings.allow(fn, 'Query', 'BatchGetItem');
    tables.changeEvents.allow(fn, 'Query', 'BatchWriteItem');
    tables.batches.allow(fn, 'GetItem');
    queues.productCommands.allowSend(fn);
    queues.changes.allowSend(fn);
    bus.allowPut(fn);
  },
};

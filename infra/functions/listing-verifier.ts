import { Duration } from 'aws-cdk-lib';
import type { FunctionDefinition } from '../connector-parts.ts';

export const listingVerifier: FunctionDefinition = {
  description: 'Compares what is live with the listings, and repairs drift',
  timeout: Duration.minutes(4),
  settings: ['pageSize', 'verifierCallsPerRun', 'verifierGraceSeconds', 'verifierCycleHours'],
  connect: (fn, { tables, queues, bus, marketplace }) => {
    fn.startEvery('EveryFiveMinutes', Duration.minutes(5));
    marketplace.allowRequests(fn);
    tables.listings.allow(fn, 'GetItem', 'BatchGetItem', 'PutItem', 'Query');
    tables.waiting.allow(fn, 'BatchWriteItem', 'DeleteItem');
    tables.stores.allow(fn, 'Scan');
    tables.drift.allow(fn, 'GetItem', 'PutItem', 'DeleteItem', 'Query');
    tables.verifications.allow(fn, 'GetItem', 'PutItem', 'Scan');
    queues.wake.allowSend(fn);
    bus.allowPut(fn);
  },
};

import { Duration } from 'aws-cdk-lib';
import type { FunctionDefinitions } from '../connector-parts.ts';
import type { ConnectorSettings } from '../settings.ts';

export const listingFunctions = {
  'change-intake': {
    description: 'Merges price and stock changes into the listings',
    timeout: Duration.minutes(1),
    memorySize: 1024,
    connect: (fn, { tables, queues, bus }) => {
      // Large receives, few at a time: changes of one product that meet in one cost one write.
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
  },
  'listing-producer': {
    description: "Sends the prices and stock that wait in a store's lane",
    timeout: Duration.minutes(2),
    memorySize: 1024,
    settings: ['itemsPerRequest', 'batchDeadlineMinutes'],
    connect: (fn, { settings, tables, queues, bus, marketplace }) => {
      queues.wake.feed(fn, { batchSize: 1, maxConcurrency: lanesAtATime(settings) });
      marketplace.allowRequests(fn);
      tables.listings.allow(fn, 'GetItem', 'BatchGetItem', 'PutItem', 'DeleteItem');
      tables.waiting.allow(fn, 'Query', 'BatchWriteItem', 'DeleteItem');
      tables.guards.allow(fn, 'GetItem');
      tables.lanes.allow(fn, 'GetItem', 'UpdateItem');
      tables.batches.allow(fn, 'GetItem', 'PutItem');
      tables.rejections.allow(fn, 'BatchWriteItem');
      queues.wake.allowSend(fn);
      bus.allowPut(fn);
    },
  },
  'lane-waker': {
    description: 'Leaves a ticket for each lane that has work and no living lease',
    timeout: Duration.seconds(50),
    connect: (fn, { tables, queues, bus, marketplace }) => {
      fn.startEvery('EveryMinute', Duration.minutes(1));
      tables.waiting.allow(fn, 'Scan');
      tables.lanes.allow(fn, 'BatchGetItem');
      marketplace.allowMeasuring(fn);
      queues.wake.allowSend(fn);
      bus.allowPut(fn);
    },
  },
  'listing-verifier': {
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
  },
} satisfies FunctionDefinitions;

/** One more lane per so many requests a second: it chooses rows while the others wait for permits. */
const REQUESTS_PER_LANE = 5;
/** The maximum concurrency that SQS allows. */
const MOST_LANES = 1_000;
/** Two lanes that take places by turns do not see that others wait behind them. */
const FEWEST_LANES = 3;

/**
 * As many lanes as can have a request in flight, and a few more that choose rows meanwhile. Other lanes wait in the queue,
 * where waiting costs nothing.
 */
function lanesAtATime({ requestsInFlight, requestsPerSecond }: ConnectorSettings): number {
  const sending = Math.min(requestsInFlight, Math.ceil(requestsPerSecond));
  const lanes = sending + Math.ceil(requestsPerSecond / REQUESTS_PER_LANE);
  return Math.max(FEWEST_LANES, Math.min(MOST_LANES, lanes));
}

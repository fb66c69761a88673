import { Duration } from 'aws-cdk-lib';
import type { FunctionDefinition } from '../connector-parts.ts';
import type { ConnectorSettings } from '../settings.ts';

export const listingProducer: FunctionDefinition = {
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
    tables.requests.allow(fn, 'BatchWriteItem');
    queues.wake.allowSend(fn);
    bus.allowPut(fn);
  },
};

/** For each 5 requests a second there is one more lane: it chooses rows while other lanes wait for permits. */
const REQUESTS_PER_LANE = 5;
/** SQS allows no higher maximum concurrency. */
const MOST_LANES = 1_000;
/** With only two lanes, which take places in turn, neither would see that others wait behind them. */
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

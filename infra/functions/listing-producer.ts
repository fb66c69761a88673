import { Duration } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { environmentNames } from '../../shared/settings/environment.ts';
import type { ConnectorParts } from '../connector-parts.ts';
import { ConnectorFunction } from '../constructs/connector-function.ts';

type Parts = Pick<ConnectorParts, 'code' | 'settings' | 'tables' | 'queues' | 'bus' | 'marketplace'>;

/**
 * Lanes that are worked on beside those with a request in flight: they choose rows, and wait for their places. All others
 * wait in the queue, where waiting costs nothing, and take turns by it.
 */
const LANES_BESIDE = 2;
/** Requests a second for which one more lane is worked on: the less time is between two places, the more is done at once. */
const REQUESTS_PER_LANE = 5;
/** What SQS allows at most. */
const MOST_LANES = 1_000;

/** Sends what waits in a store's lane, holding the lane by a lease. */
export class ListingProducer extends ConnectorFunction {
  constructor(scope: Construct, id: string, parts: Parts) {
    super(scope, id, {
      serviceName: 'listing-producer',
      description: "Sends the prices and stock that wait in a store's lane",
      code: parts.code('listing-producer'),
      timeout: Duration.minutes(2),
      memorySize: 1024,
      logRetentionDays: parts.settings.logRetentionDays,
      feedsItself: true,
    });
    const { settings, tables, queues, bus, marketplace } = parts;

    queues.wake.feed(this, { batchSize: 1, maxConcurrency: lanesAtATime(settings) });
    marketplace.allowRequests(this);
    tables.listings.allow(this, 'GetItem', 'BatchGetItem', 'PutItem', 'DeleteItem');
    tables.listings.allowQuery(this, 'waiting');
    tables.guards.allow(this, 'GetItem');
    tables.lanes.allow(this, 'GetItem', 'UpdateItem');
    tables.stores.allow(this, 'GetItem', 'UpdateItem');
    tables.attempts.allow(this, 'PutItem', 'UpdateItem');
    tables.batches.allow(this, 'GetItem', 'PutItem');
    tables.rejections.allow(this, 'BatchWriteItem');
    queues.wake.allowSend(this);
    bus.allowPut(this);
    this.set(environmentNames.itemsPerRequest, settings.itemsPerRequest);
    this.set(environmentNames.batchDeadlineMinutes, settings.batchDeadlineMinutes);
  }
}

function lanesAtATime({ requestsInFlight, requestsPerSecond }: Parts['settings']): number {
  const beside = LANES_BESIDE + Math.ceil(requestsPerSecond / REQUESTS_PER_LANE) - 1;
  return Math.min(MOST_LANES, requestsInFlight + beside);
}

import { Duration } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { environmentNames } from '../../shared/settings/environment.ts';
import type { ConnectorParts } from '../connector-parts.ts';
import { ConnectorFunction } from '../constructs/connector-function.ts';

type Parts = Pick<ConnectorParts, 'code' | 'settings' | 'tables' | 'queues' | 'bus' | 'marketplace'>;

/** Requests a second for which one more lane is worked on: it chooses rows while others wait for their places. */
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
    tables.batches.allow(this, 'GetItem', 'PutItem');
    tables.rejections.allow(this, 'BatchWriteItem');
    queues.wake.allowSend(this);
    bus.allowPut(this);
    this.set(environmentNames.itemsPerRequest, settings.itemsPerRequest);
    this.set(environmentNames.batchDeadlineMinutes, settings.batchDeadlineMinutes);
  }
}

/**
 * As many lanes as can have a request in flight, and a few that choose rows: a little more than the rate needs. All others
 * wait in the queue, where waiting costs nothing, and take turns by it.
 */
function lanesAtATime({ requestsInFlight, requestsPerSecond }: Parts['settings']): number {
  const sending = Math.min(requestsInFlight, Math.ceil(requestsPerSecond));
  return Math.min(MOST_LANES, sending + Math.ceil(requestsPerSecond / REQUESTS_PER_LANE));
}

import { Duration } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { environmentNames } from '../../shared/settings/environment.ts';
import type { ConnectorParts } from '../connector-parts.ts';
import { ConnectorFunction } from '../constructs/connector-function.ts';

type Parts = Pick<ConnectorParts, 'code' | 'settings' | 'tables' | 'queues' | 'bus' | 'marketplace'>;

/**
 * Lanes that are drained at the same time at most. A lane keeps its invocation for as long as its work is due: with more
 * busy stores than this, a zero of the next one waits until another store is done. What they all send is bounded by the
 * shared limit, not by this.
 */
const BUSY_LANES = 100;

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

    queues.wake.feed(this, { batchSize: 1, maxConcurrency: BUSY_LANES });
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

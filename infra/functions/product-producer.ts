import { Duration } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { environmentNames } from '../../shared/settings/environment.ts';
import type { ConnectorParts } from '../connector-parts.ts';
import { ConnectorFunction } from '../constructs/connector-function.ts';

type Parts = Pick<
  ConnectorParts,
  'code' | 'settings' | 'tables' | 'queues' | 'buckets' | 'bus' | 'marketplace'
>;

/** Does product commands: syncs, creations, updates and deletions. */
export class ProductProducer extends ConnectorFunction {
  constructor(scope: Construct, id: string, parts: Parts) {
    super(scope, id, {
      serviceName: 'product-producer',
      description: 'Sends product commands to the marketplace',
      code: parts.code('product-producer'),
      timeout: Duration.minutes(2),
      memorySize: 1024,
      logRetentionDays: parts.settings.logRetentionDays,
      feedsItself: true,
    });
    const { settings, tables, queues, buckets, bus, marketplace } = parts;

    // Few at a time, so that each gets many commands to send together.
    queues.productCommands.feed(this, { batchSize: 1000, maxConcurrency: 2 });
    marketplace.allowRequests(this);
    tables.stores.allow(this, 'GetItem', 'UpdateItem');
    tables.requests.allow(this, 'GetItem', 'BatchGetItem', 'PutItem');
    tables.batches.allow(this, 'GetItem', 'PutItem');
    tables.rejections.allow(this, 'BatchWriteItem');
    tables.listings.allow(this, 'GetItem', 'BatchGetItem', 'PutItem');
    buckets.archive.allowPut(this);
    buckets.archive.allowGet(this);
    buckets.archive.allowList(this);
    queues.changes.allowSend(this);
    queues.wake.allowSend(this);
    queues.productCommands.allowSend(this);
    bus.allowPut(this);
    this.set(environmentNames.itemsPerRequest, settings.itemsPerRequest);
    this.set(environmentNames.batchDeadlineMinutes, settings.batchDeadlineMinutes);
  }
}

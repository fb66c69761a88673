import { Duration } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { environmentNames } from '../../shared/settings/environment.ts';
import type { ConnectorParts } from '../connector-parts.ts';
import { ConnectorFunction } from '../constructs/connector-function.ts';

type Parts = Pick<
  ConnectorParts,
  'code' | 'settings' | 'tables' | 'queues' | 'buckets' | 'bus' | 'marketplace'
>;

/** Performs order commands: decisions and dropoffs. */
export class OrderProducer extends ConnectorFunction {
  constructor(scope: Construct, id: string, parts: Parts) {
    super(scope, id, {
      serviceName: 'order-producer',
      description: 'Sends decisions and dropoffs of orders to the marketplace',
      code: parts.code('order-producer'),
      // In its second half there is time for the last request and its repetitions.
      timeout: Duration.seconds(110),
      logRetentionDays: parts.settings.logRetentionDays,
      feedsItself: true,
    });
    const { settings, tables, queues, buckets, bus, marketplace } = parts;

    queues.orderCommands.feed(this, { batchSize: 10, maxConcurrency: 5 });
    marketplace.allowRequests(this);
    tables.stores.allow(this, 'GetItem', 'UpdateItem');
    tables.orders.allow(this, 'GetItem', 'PutItem');
    tables.requests.allow(this, 'GetItem', 'BatchGetItem', 'PutItem');
    tables.batches.allow(this, 'GetItem', 'PutItem');
    tables.rejections.allow(this, 'BatchWriteItem');
    queues.orderCommands.allowSend(this);
    buckets.archive.allowPut(this);
    buckets.archive.allowGet(this);
    buckets.archive.allowList(this);
    bus.allowPut(this);
    this.set(environmentNames.itemsPerRequest, settings.itemsPerRequest);
    this.set(environmentNames.batchDeadlineMinutes, settings.batchDeadlineMinutes);
  }
}

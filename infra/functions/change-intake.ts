import { Duration } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { ConnectorParts } from '../connector-parts.ts';
import { ConnectorFunction } from '../constructs/connector-function.ts';

type Parts = Pick<ConnectorParts, 'code' | 'settings' | 'tables' | 'queues' | 'bus'>;

/** Merges price and stock changes into the listings, and leaves a ticket for each lane that has work. */
export class ChangeIntake extends ConnectorFunction {
  constructor(scope: Construct, id: string, parts: Parts) {
    super(scope, id, {
      serviceName: 'change-intake',
      description: 'Merges price and stock changes into the listings',
      code: parts.code('change-intake'),
      timeout: Duration.minutes(1),
      memorySize: 1024,
      logRetentionDays: parts.settings.logRetentionDays,
    });
    const { tables, queues, bus } = parts;

    queues.changes.feed(this, { batchSize: 100, maxConcurrency: 10 });
    tables.listings.allow(this, 'GetItem', 'BatchGetItem', 'PutItem', 'Query');
    tables.guards.allow(this, 'GetItem', 'PutItem');
    tables.lanes.allow(this, 'UpdateItem');
    tables.stores.allow(this, 'GetItem');
    tables.rejections.allow(this, 'BatchWriteItem');
    queues.wake.allowSend(this);
    bus.allowPut(this);
  }
}

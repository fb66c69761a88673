import { Duration } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { environmentNames } from '../../shared/settings/environment.ts';
import type { ConnectorParts } from '../connector-parts.ts';
import { ConnectorFunction } from '../constructs/connector-function.ts';

type Parts = Pick<
  ConnectorParts,
  'code' | 'settings' | 'tables' | 'queues' | 'buckets' | 'bus' | 'marketplace'
>;

/**
 * Every 5 minutes, resolves the batches that are open past their deadline and the requests that were abandoned, or
 * reports them; and publishes the events of batches and stores that were left over.
 */
export class BatchSweeper extends ConnectorFunction {
  constructor(scope: Construct, id: string, parts: Parts) {
    super(scope, id, {
      serviceName: 'batch-sweeper',
      description: 'Resolves batches past their deadline and abandoned requests, or reports them',
      code: parts.code('batch-sweeper'),
      timeout: Duration.minutes(4),
      logRetentionDays: parts.settings.logRetentionDays,
    });
    const { settings, tables, queues, buckets, bus, marketplace } = parts;

    this.startEvery('EveryFiveMinutes', Duration.minutes(5));
    marketplace.allowRequests(this);
    tables.batches.allow(this, 'GetItem', 'PutItem');
    tables.batches.allowQuery(this, 'byState');
    tables.batches.allowQuery(this, 'unannounced');
    tables.requests.allow(this, 'GetItem', 'PutItem');
    tables.requests.allowQuery(this, 'open');
    tables.rejections.allow(this, 'BatchWriteItem');
    tables.listings.allow(this, 'GetItem', 'BatchGetItem', 'PutItem');
    tables.stores.allow(this, 'GetItem', 'UpdateItem', 'Scan');
    buckets.archive.allowGet(this);
    buckets.archive.allowPut(this, 'requests/');
    buckets.archive.allowList(this);
    queues.changes.allowSend(this);
    queues.wake.allowSend(this);
    bus.allowPut(this);
    this.set(environmentNames.batchDeadlineMinutes, settings.batchDeadlineMinutes);
    this.set(environmentNames.itemsPerRequest, settings.itemsPerRequest);
    this.set(environmentNames.pageSize, settings.pageSize);
  }
}

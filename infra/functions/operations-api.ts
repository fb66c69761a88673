import { Duration } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { environmentNames } from '../../shared/settings/environment.ts';
import type { ConnectorParts } from '../connector-parts.ts';
import { ConnectorFunction } from '../constructs/connector-function.ts';

type Parts = Pick<
  ConnectorParts,
  'code' | 'settings' | 'tables' | 'queues' | 'buckets' | 'bus' | 'marketplace'
>;

/** Answers the routes that operators and the partner's systems call. */
export class OperationsApi extends ConnectorFunction {
  constructor(scope: Construct, id: string, parts: Parts) {
    super(scope, id, {
      serviceName: 'operations-api',
      description: 'Stores, batches, listings and documents over HTTP',
      code: parts.code('operations-api'),
      // An HTTP API answers for its function after 30 s.
      timeout: Duration.seconds(29),
      logRetentionDays: parts.settings.logRetentionDays,
    });
    const { settings, tables, queues, buckets, bus, marketplace } = parts;

    marketplace.allowRequests(this);
    tables.batches.allow(this, 'GetItem', 'PutItem');
    tables.batches.allowQuery(this, 'byStore');
    tables.batches.allowQuery(this, 'byState');
    tables.requests.allow(this, 'GetItem', 'BatchGetItem', 'PutItem');
    tables.requests.allowQuery(this, 'open');
    tables.stores.allow(this, 'GetItem', 'UpdateItem', 'Scan');
    tables.sessions.allow(this, 'GetItem', 'PutItem');
    tables.listings.allow(this, 'GetItem', 'BatchGetItem', 'PutItem', 'DeleteItem', 'Query');
    tables.lanes.allow(this, 'GetItem', 'UpdateItem');
    tables.listings.allowQuery(this, 'waiting');
    tables.guards.allow(this, 'GetItem', 'PutItem');
    tables.orders.allow(this, 'GetItem', 'PutItem');
    tables.orders.allowQuery(this, 'unknown');
    tables.rejections.allow(this, 'Query', 'BatchWriteItem');
    buckets.documents.allowGet(this);
    buckets.documents.allowPut(this);
    buckets.documents.allowList(this);
    buckets.archive.allowGet(this);
    buckets.archive.allowPut(this, 'messages/');
    buckets.archive.allowPut(this, 'requests/');
    buckets.archive.allowList(this);
    queues.changes.allowSend(this);
    queues.wake.allowSend(this);
    queues.productCommands.allowSend(this);
    bus.allowPut(this);
    this.set(environmentNames.itemsPerRequest, settings.itemsPerRequest);
    this.set(environmentNames.batchDeadlineMinutes, settings.batchDeadlineMinutes);
    this.set(environmentNames.pageSize, settings.pageSize);
    this.set(environmentNames.productNames, settings.productNames);
    this.set(environmentNames.orderNames, settings.orderNames);
  }
}

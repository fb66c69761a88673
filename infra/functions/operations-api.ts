import { Duration } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { environmentNames } from '../../shared/settings/environment.ts';
import type { ConnectorParts } from '../connector-parts.ts';
import { ConnectorFunction } from '../constructs/connector-function.ts';

type Parts = Pick<ConnectorParts, 'code' | 'settings' | 'tables' | 'queues' | 'bus' | 'marketplace'>;

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
    const { settings, tables, queues, bus, marketplace } = parts;

    marketplace.allowRequests(this);
    tables.batches.allow(this, 'GetItem');
    tables.batches.allowQuery(this, 'byStore');
    tables.batches.allowQuery(this, 'byState');
    tables.stores.allow(this, 'GetItem', 'PutItem', 'Scan');
    tables.listings.allow(this, 'GetItem');
    tables.rejections.allow(this, 'Query');
    queues.changes.allowSend(this);
    bus.allowPut(this);
    this.set(environmentNames.pageSize, settings.pageSize);
  }
}

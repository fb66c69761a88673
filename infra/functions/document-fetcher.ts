import { Duration } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { environmentNames } from '../../shared/settings/environment.ts';
import type { ConnectorParts } from '../connector-parts.ts';
import { ConnectorFunction } from '../constructs/connector-function.ts';

type Parts = Pick<
  ConnectorParts,
  'code' | 'settings' | 'tables' | 'queues' | 'buckets' | 'bus' | 'marketplace'
>;

/** Fetches shipping labels and invoices and stores them. */
export class DocumentFetcher extends ConnectorFunction {
  constructor(scope: Construct, id: string, parts: Parts) {
    super(scope, id, {
      serviceName: 'document-fetcher',
      description: 'Fetches shipping labels and invoices into the document bucket',
      code: parts.code('document-fetcher'),
      timeout: Duration.minutes(1),
      logRetentionDays: parts.settings.logRetentionDays,
      feedsItself: true,
    });
    const { settings, tables, queues, buckets, bus, marketplace } = parts;

    queues.documentCommands.feed(this, { batchSize: 1, maxConcurrency: 5 });
    marketplace.allowRequests(this);
    tables.stores.allow(this, 'GetItem', 'UpdateItem');
    tables.requests.allow(this, 'GetItem', 'BatchGetItem', 'PutItem');
    tables.orders.allow(this, 'GetItem', 'PutItem');
    tables.rejections.allow(this, 'BatchWriteItem');
    buckets.archive.allowPut(this, 'requests/');
    buckets.archive.allowGet(this);
    buckets.archive.allowList(this);
    buckets.documents.allowGet(this);
    buckets.documents.allowPut(this);
    buckets.documents.allowList(this);
    queues.documentCommands.allowSend(this);
    bus.allowPut(this);
    this.set(environmentNames.documentWaitMinutes, settings.documentWaitMinutes);
  }
}

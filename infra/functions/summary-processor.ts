import { Duration } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { ConnectorParts } from '../connector-parts.ts';
import { ConnectorFunction } from '../constructs/connector-function.ts';

type Parts = Pick<ConnectorParts, 'code' | 'settings' | 'tables' | 'queues' | 'buckets' | 'bus'>;

/** Brings final summaries and batches together. */
export class SummaryProcessor extends ConnectorFunction {
  constructor(scope: Construct, id: string, parts: Parts) {
    super(scope, id, {
      serviceName: 'summary-processor',
      description: 'Completes batches by their final summaries',
      code: parts.code('summary-processor'),
      timeout: Duration.minutes(1),
      logRetentionDays: parts.settings.logRetentionDays,
    });
    const { tables, queues, buckets, bus } = parts;

    queues.summaries.feed(this, { batchSize: 10, maxConcurrency: 5 });
    tables.batches.allow(this, 'GetItem', 'PutItem');
    tables.listings.allow(this, 'GetItem', 'PutItem');
    tables.rejections.allow(this, 'BatchWriteItem');
    buckets.archive.allowGet(this);
    queues.wake.allowSend(this);
    bus.allowPut(this);
  }
}

import { Duration } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { environmentNames } from '../../shared/settings/environment.ts';
import type { ConnectorParts } from '../connector-parts.ts';
import { ConnectorFunction } from '../constructs/connector-function.ts';

type Parts = Pick<ConnectorParts, 'code' | 'settings' | 'queues' | 'buckets'>;

/** Packs small commands that sync or create products together, so that they share requests. */
export class ProductPacker extends ConnectorFunction {
  constructor(scope: Construct, id: string, parts: Parts) {
    super(scope, id, {
      serviceName: 'product-packer',
      description: 'Packs small product commands together',
      code: parts.code('product-packer'),
      timeout: Duration.minutes(1),
      memorySize: 1024,
      logRetentionDays: parts.settings.logRetentionDays,
    });
    const { settings, queues, buckets } = parts;

    // Few at a time, so that each gets many commands to pack together.
    queues.bulkCommands.feed(this, { batchSize: 1000, maxConcurrency: 2 });
    queues.productCommands.allowSend(this);
    buckets.archive.allowPut(this, 'messages/');
    this.set(environmentNames.itemsPerRequest, settings.itemsPerRequest);
  }
}

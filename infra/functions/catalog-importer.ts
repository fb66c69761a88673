import { Duration } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { ConnectorParts } from '../connector-parts.ts';
import { ConnectorFunction } from '../constructs/connector-function.ts';

type Parts = Pick<ConnectorParts, 'code' | 'settings' | 'tables' | 'queues' | 'buckets' | 'bus'>;

/** Streams a catalog file from the import bucket into product commands. */
export class CatalogImporter extends ConnectorFunction {
  constructor(scope: Construct, id: string, parts: Parts) {
    super(scope, id, {
      serviceName: 'catalog-importer',
      description: 'Streams catalog files into product commands',
      code: parts.code('catalog-importer'),
      timeout: Duration.minutes(15),
      memorySize: 1024,
      logRetentionDays: parts.settings.logRetentionDays,
    });
    const { tables, queues, buckets, bus } = parts;

    buckets.imports.announce('catalog/', queues.catalogImport);
    queues.catalogImport.feed(this, { batchSize: 1, maxConcurrency: 2 });
    buckets.imports.allowGet(this);
    tables.stores.allow(this, 'GetItem');
    tables.rejections.allow(this, 'BatchWriteItem');
    queues.productCommands.allowSend(this);
    bus.allowPut(this);
  }
}

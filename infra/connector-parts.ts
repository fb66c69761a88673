import type { Code } from 'aws-cdk-lib/aws-lambda';
import type { ConnectorBuckets } from './constructs/connector-buckets.ts';
import type { ConnectorBus } from './constructs/connector-bus.ts';
import type { ConnectorQueues } from './constructs/connector-queues.ts';
import type { ConnectorTables } from './constructs/connector-tables.ts';
import type { DataKey } from './constructs/data-key.ts';
import type { MarketplaceConnection } from './constructs/marketplace-connection.ts';
import type { FunctionName } from './function-names.ts';
import type { ConnectorSettings } from './settings.ts';

/** What the functions are connected to; each picks what it uses. */
export interface ConnectorParts {
  /** The bundle of each function. */
  readonly code: (name: FunctionName) => Code;
  readonly settings: ConnectorSettings;
  readonly encryptionKey: DataKey;
  readonly tables: ConnectorTables;
  readonly queues: ConnectorQueues;
  readonly buckets: ConnectorBuckets;
  readonly bus: ConnectorBus;
  readonly marketplace: MarketplaceConnection;
}

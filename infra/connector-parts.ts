import type { Code } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import type { Setting } from '../shared/settings/environment.ts';
import type { ConnectorBuckets } from './constructs/connector-buckets.ts';
import type { ConnectorBus } from './constructs/connector-bus.ts';
import type {
  ConnectorFunction,
  ConnectorFunctionProps,
  FunctionNetwork,
} from './constructs/connector-function.ts';
import type { ConnectorQueues } from './constructs/connector-queues.ts';
import type { ConnectorTables } from './constructs/connector-tables.ts';
import type { DataKey } from './constructs/data-key.ts';
import type { MarketplaceConnection } from './constructs/marketplace-connection.ts';
import type { FunctionName } from './function-names.ts';
import type { ConnectorSettings } from './settings.ts';

/** The parts of the stack that functions are connected to. */
export interface ConnectorParts {
  /** The construct that the functions belong to. */
  readonly scope: Construct;
  /** The bundle of each function. */
  readonly code: (name: FunctionName) => Code;
  readonly settings: ConnectorSettings;
  readonly network: FunctionNetwork;
  readonly encryptionKey: DataKey;
  readonly tables: ConnectorTables;
  readonly queues: ConnectorQueues;
  readonly buckets: ConnectorBuckets;
  readonly bus: ConnectorBus;
  readonly marketplace: MarketplaceConnection;
}

/** A function of the stack: its properties, settings and grants. */
export interface FunctionDefinition
  extends Pick<ConnectorFunctionProps, 'description' | 'timeout' | 'memorySize'> {
  /** Settings that the function gets in its environment. Default: none. */
  readonly settings?: readonly (Setting & keyof ConnectorSettings)[];
  /** Connects the function to the parts that it uses, and grants their use. test/infra/grants.txt lists all grants. */
  readonly connect: (fn: ConnectorFunction, parts: ConnectorParts) => void;
}

import type { Code } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import type { ConnectorBuckets } from './constructs/connector-buckets.ts';
import type { ConnectorBus } from './constructs/connector-bus.ts';
import { ConnectorFunction, type ConnectorFunctionProps } from './constructs/connector-function.ts';
import type { ConnectorQueues } from './constructs/connector-queues.ts';
import type { ConnectorTables } from './constructs/connector-tables.ts';
import type { DataKey } from './constructs/data-key.ts';
import type { MarketplaceConnection } from './constructs/marketplace-connection.ts';
import type { FunctionName } from './function-names.ts';
import type { ConnectorSettings } from './settings.ts';

/** What the functions are connected to; each uses some of it. */
export interface ConnectorParts {
  /** The construct that the functions belong to. */
  readonly scope: Construct;
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

type Props = Omit<ConnectorFunctionProps, 'serviceName' | 'code' | 'logRetentionDays'>;

/** Creates a function of the stack under the ID that its name makes in Pascal case: `ChangeIntake` of `change-intake`. */
export function createFunction(parts: ConnectorParts, name: FunctionName, props: Props): ConnectorFunction {
  const id = name.replace(/(^|-)(.)/g, (_, _dash, letter: string) => letter.toUpperCase());
  return new ConnectorFunction(parts.scope, id, {
    ...props,
    serviceName: name,
    code: parts.code(name),
    logRetentionDays: parts.settings.logRetentionDays,
  });
}

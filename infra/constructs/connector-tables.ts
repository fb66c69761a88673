import { type GlobalSecondaryIndexProps, ProjectionType } from 'aws-cdk-lib/aws-dynamodb';
import { Construct } from 'constructs';
import { ConnectorTable, type ConnectorTableProps, stringAttribute } from './connector-table.ts';
import type { DataKey } from './data-key.ts';

export interface ConnectorTablesProps {
  /** Key over the store tokens. */
  readonly encryptionKey: DataKey;
  /** Whether the tables outlive the stack and refuse deletion. Default: true. */
  readonly protectData?: boolean;
}

interface TableDefinition extends Omit<ConnectorTableProps, 'variable' | 'encryptionKey' | 'protectData'> {
  /** Whether the customer-managed key is over the table. Default: false. */
  readonly holdsSecrets?: boolean;
}

/** Everything the connector remembers: each table by its name, after which its construct and its setting are called. */
const TABLES = {
  /** Desired price and stock of each target. */
  listings: { partitionKey: 'storeClientId', sortKey: 'target' },
  /** Pages of the targets that wait; empty while nothing waits. */
  waiting: { partitionKey: 'storeClientId', sortKey: 'page' },
  /** The lane of each store: its lease, and what its last holder found. */
  lanes: { partitionKey: 'storeClientId' },
  /** The limit that all functions keep to together: the next slot, the permits that are out. */
  limits: { partitionKey: 'limitId' },
  /** Each store's guard against mass mistakes in prices; those that hold prices are in the sparse index `held`. */
  guards: {
    partitionKey: 'storeClientId',
    globalSecondaryIndexes: [
      {
        ...globalIndex('held', 'held', 'heldSince'),
        projectionType: ProjectionType.INCLUDE,
        nonKeyAttributes: ['hold'],
      },
    ],
  },
  /** Stores and their tokens. */
  stores: { partitionKey: 'storeClientId', holdsSecrets: true },
  /** Onboardings that were begun, by nonce. */
  sessions: { partitionKey: 'nonce', timeToLiveAttribute: 'expiresAt' },
  /**
   * ASYNC calls and the outcome of their rows, also found by store and by state, in order of submission, and, as long
   * as an event is due, by the sparse index `unannounced`.
   */
  batches: {
    partitionKey: 'batchId',
    globalSecondaryIndexes: [
      globalIndex('byStore', 'storeClientId', 'submittedAt'),
      globalIndex('byState', 'state', 'submittedAt'),
      { ...globalIndex('unannounced', 'unannounced', 'dueSince'), projectionType: ProjectionType.KEYS_ONLY },
    ],
  },
  /** Rows and events that were refused, with code and reason; also found by the command or event that they are of. */
  rejections: {
    partitionKey: 'storeClientId',
    sortKey: 'rejectionId',
    timeToLiveAttribute: 'expiresAt',
    globalSecondaryIndexes: [globalIndex('bySource', 'sourceId', 'rejectionId')],
  },
  /** What was done with each order, by the identifier that commands gave; its index `unknown` is sparse. */
  orders: {
    partitionKey: 'storeClientId',
    sortKey: 'orderKey',
    globalSecondaryIndexes: [globalIndex('unknown', 'storeClientId', 'unknownSince')],
  },
  /**
   * Requests that must not be repeated blindly, the plans of their commands, and locks; requests whose end is not applied
   * are in the sparse index `open`.
   */
  requests: {
    partitionKey: 'recordId',
    timeToLiveAttribute: 'expiresAt',
    globalSecondaryIndexes: [globalIndex('open', 'open', 'touchedAt')],
  },
  /** Events of stock and prices that came in, for their way to be found: many to an item. */
  changeEvents: { partitionKey: 'shard', sortKey: 'takenAt', timeToLiveAttribute: 'expiresAt' },
  /** Files of the import bucket that came in, for their way to be found; also by store in the order in which they were put. */
  inputs: {
    partitionKey: 'inputId',
    timeToLiveAttribute: 'expiresAt',
    globalSecondaryIndexes: [globalIndex('byStore', 'storeClientId', 'putAt')],
  },
} satisfies Record<string, TableDefinition>;

type TableName = keyof typeof TABLES;
export type ConnectorTables = Readonly<Record<TableName, ConnectorTable>>;

/** Creates the tables in a construct of their own. */
export function createTables(
  scope: Construct,
  id: string,
  { encryptionKey, protectData = true }: ConnectorTablesProps,
): ConnectorTables {
  const parent = new Construct(scope, id);
  const definitions: [string, TableDefinition][] = Object.entries(TABLES);
  const tables = definitions.map(([name, { holdsSecrets = false, ...props }]) => {
    const tableId = name.charAt(0).toUpperCase() + name.slice(1);
    const variable = `${name as TableName}Table` as const;
    const table = { ...props, variable, protectData, ...(holdsSecrets && { encryptionKey }) };
    return [name, new ConnectorTable(parent, tableId, table)];
  });
  return Object.fromEntries(tables) as ConnectorTables;
}

function globalIndex(indexName: string, partitionKey: string, sortKey: string): GlobalSecondaryIndexProps {
  return { indexName, partitionKey: stringAttribute(partitionKey), sortKey: stringAttribute(sortKey) };
}

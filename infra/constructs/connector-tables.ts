import {
  type GlobalSecondaryIndexProps,
  ProjectionType,
  type WarmThroughput,
} from 'aws-cdk-lib/aws-dynamodb';
import { Construct } from 'constructs';
import { type ConnectorSettings, refusesDeletion } from '../settings.ts';
import { ConnectorTable, type ConnectorTableProps, stringAttribute } from './connector-table.ts';
import type { DataKey } from './data-key.ts';

type TableSettings =
  | 'protectData'
  | 'firstDeployment'
  | 'recordRetentionDays'
  | 'orderRetentionDays'
  | 'changeEventRetentionDays'
  | 'listingsWarmReadUnits'
  | 'listingsWarmWriteUnits';

export interface ConnectorTablesProps extends Pick<ConnectorSettings, TableSettings> {
  /** Key for the store tokens. */
  readonly encryptionKey: DataKey;
}

interface TableDefinition
  extends Pick<ConnectorTableProps, 'partitionKey' | 'sortKey' | 'globalSecondaryIndexes' | 'expires'> {
  /** Setting for the days for which items are kept. */
  readonly retention?: Extract<TableSettings, `${string}RetentionDays`>;
  /** Whether the table takes the most writes of all, and its warm throughput is a setting. Default: false. */
  readonly isWarm?: boolean;
  /** Whether the customer-managed key encrypts the table. Default: false. */
  readonly holdsSecrets?: boolean;
}

/** The tables by name. Construct and setting take their names from it: `listings` gives `Listings` and `listingsTable`. */
const TABLES = {
  /** Desired price and stock of each target. */
  listings: { partitionKey: 'storeClientId', sortKey: 'target', isWarm: true },
  /** Pages of the targets that wait; empty while nothing waits. */
  waiting: { partitionKey: 'storeClientId', sortKey: 'page' },
  /** The lane of each store: its lease, and what its last holder found. */
  lanes: { partitionKey: 'storeClientId' },
  /** The rate limiter: one item, or several at a high rate. */
  limits: { partitionKey: 'limitId' },
  /** Each store's guard against mass mistakes in prices. Guards that hold prices are in the sparse index `held`. */
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
  sessions: { partitionKey: 'nonce', expires: true },
  /**
   * ASYNC calls and the outcome of their rows, indexed by store and by state, in the order of submission. While an event
   * is due, a batch is listed as `submitted`.
   */
  batches: {
    partitionKey: 'batchId',
    retention: 'recordRetentionDays',
    globalSecondaryIndexes: [
      keysOnly(globalIndex('byStore', 'storeClientId', 'submittedAt')),
      keysOnly(globalIndex('byState', 'listedAs', 'submittedAt')),
    ],
  },
  /** Rejected rows and events with code and reason, indexed by the command or event that brought them. */
  rejections: {
    partitionKey: 'storeClientId',
    sortKey: 'rejectionId',
    retention: 'recordRetentionDays',
    globalSecondaryIndexes: [globalIndex('bySource', 'sourceId', 'rejectionId')],
  },
  /** What was done with each order, by the identifier in its commands. Its index `unknown` is sparse. */
  orders: {
    partitionKey: 'storeClientId',
    sortKey: 'orderKey',
    retention: 'orderRetentionDays',
    globalSecondaryIndexes: [globalIndex('unknown', 'storeClientId', 'unknownSince')],
  },
  /**
   * Records of requests that must not be repeated blindly, the plans of commands, and locks. Requests whose answer is not
   * applied yet are in the sparse index `open`.
   */
  requests: {
    partitionKey: 'recordId',
    retention: 'recordRetentionDays',
    globalSecondaryIndexes: [keysOnly(globalIndex('open', 'open', 'touchedAt'))],
  },
  /**
   * Listings whose live values are not the accepted ones, and what each page of a verification showed. Listings that wait for
   * a person are in the sparse index `contested`.
   */
  drift: {
    partitionKey: 'storeClientId',
    sortKey: 'entry',
    globalSecondaryIndexes: [globalIndex('contested', 'contested', 'contestedSince')],
  },
  /** How far the verification of each store is. */
  verifications: { partitionKey: 'storeClientId' },
  /** Incoming events of stock and prices, many to an item, for `GET /trace`. */
  changeEvents: {
    partitionKey: 'shard',
    sortKey: 'takenAt',
    retention: 'changeEventRetentionDays',
  },
  /** Imported files, for `GET /trace` and `GET /imports`. */
  inputs: {
    partitionKey: 'inputId',
    retention: 'recordRetentionDays',
    globalSecondaryIndexes: [globalIndex('byStore', 'storeClientId', 'putAt')],
  },
} satisfies Record<string, TableDefinition>;

type TableName = keyof typeof TABLES;
export type ConnectorTables = Readonly<Record<TableName, ConnectorTable>>;

export function createTables(
  scope: Construct,
  { encryptionKey, ...settings }: ConnectorTablesProps,
): ConnectorTables {
  const parent = new Construct(scope, 'Tables');
  const warmThroughput = warmThroughputOf(settings);
  const protection = { protectData: settings.protectData, deletionProtection: refusesDeletion(settings) };
  const definitions: [string, TableDefinition][] = Object.entries(TABLES);
  const tables = definitions.map(([name, { holdsSecrets, retention, isWarm, ...props }]) => {
    const tableId = name.charAt(0).toUpperCase() + name.slice(1);
    const variable = `${name as TableName}Table` as const;
    const table = {
      ...props,
      variable,
      ...protection,
      ...(holdsSecrets && { encryptionKey }),
      ...(retention && { retention: { [retention]: settings[retention] } }),
      ...(isWarm && warmThroughput && { warmThroughput }),
    };
    return [name, new ConnectorTable(parent, tableId, table)];
  });
  return Object.fromEntries(tables) as ConnectorTables;
}

/** `undefined` where nothing is set: DynamoDB then raises it by itself, and an update must not ask for less. */
function warmThroughputOf({
  listingsWarmReadUnits: read,
  listingsWarmWriteUnits: write,
}: Pick<ConnectorSettings, TableSettings>): WarmThroughput | undefined {
  if (read === undefined && write === undefined) return undefined;
  return {
    ...(read !== undefined && { readUnitsPerSecond: read }),
    ...(write !== undefined && { writeUnitsPerSecond: write }),
  };
}

/** An index of keys alone: other changes of an item do not write to it. */
function keysOnly(index: GlobalSecondaryIndexProps): GlobalSecondaryIndexProps {
  return { ...index, projectionType: ProjectionType.KEYS_ONLY };
}

function globalIndex(indexName: string, partitionKey: string, sortKey: string): GlobalSecondaryIndexProps {
  return { indexName, partitionKey: stringAttribute(partitionKey), sortKey: stringAttribute(sortKey) };
}

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

/** Everything the connector remembers. */
export class ConnectorTables extends Construct {
  /** Desired price and stock of each target; its index `waiting` is sparse and strongly consistent. */
  readonly listings: ConnectorTable;
  /** The lane of each store: its lease, and whether work waits. */
  readonly lanes: ConnectorTable;
  /** The limit that all functions keep to together: the next slot, the permits that are out. */
  readonly limits: ConnectorTable;
  /** Each store's guard against mass mistakes in prices; those that hold prices are in the sparse index `held`. */
  readonly guards: ConnectorTable;
  /** Stores and their tokens. */
  readonly stores: ConnectorTable;
  /** Onboardings that were begun, by nonce. */
  readonly sessions: ConnectorTable;
  /**
   * ASYNC calls and the outcome of their rows, also found by store and by state, in order of submission, and, as long
   * as an event is due, by the sparse index `unannounced`.
   */
  readonly batches: ConnectorTable;
  /** Rows and events that were refused, with code and reason; also found by the command or event that they are of. */
  readonly rejections: ConnectorTable;
  /** What was done with each order, by the identifier that commands gave; its index `unknown` is sparse. */
  readonly orders: ConnectorTable;
  /**
   * Requests that must not be repeated blindly, the plans of their commands, and locks; requests whose end is not applied
   * are in the sparse index `open`.
   */
  readonly requests: ConnectorTable;
  /**
   * What came in, for its way to be found: events of stock and prices; and files of the import bucket, also by store in
   * the order in which they were put.
   */
  readonly inputs: ConnectorTable;

  constructor(scope: Construct, id: string, { encryptionKey, protectData = true }: ConnectorTablesProps) {
    super(scope, id);
    const table = (tableId: string, props: ConnectorTableProps) =>
      new ConnectorTable(this, tableId, { protectData, ...props });
    const timeToLiveAttribute = 'expiresAt';

    this.listings = table('Listings', {
      variable: 'listingsTable',
      partitionKey: 'storeClientId',
      sortKey: 'target',
      localSecondaryIndexes: [
        { indexName: 'waiting', sortKey: stringAttribute('waiting'), projectionType: ProjectionType.ALL },
      ],
    });
    this.lanes = table('Lanes', { variable: 'lanesTable', partitionKey: 'storeClientId' });
    this.limits = table('Limits', { variable: 'limitsTable', partitionKey: 'limitId' });
    this.guards = table('Guards', {
      variable: 'guardsTable',
      partitionKey: 'storeClientId',
      globalSecondaryIndexes: [
        {
          ...globalIndex('held', 'held', 'heldSince'),
          projectionType: ProjectionType.INCLUDE,
          nonKeyAttributes: ['hold'],
        },
      ],
    });
    this.stores = table('Stores', { variable: 'storesTable', partitionKey: 'storeClientId', encryptionKey });
    this.sessions = table('Sessions', {
      variable: 'sessionsTable',
      partitionKey: 'nonce',
      timeToLiveAttribute,
    });
    this.batches = table('Batches', {
      variable: 'batchesTable',
      partitionKey: 'batchId',
      globalSecondaryIndexes: [
        globalIndex('byStore', 'storeClientId', 'submittedAt'),
        globalIndex('byState', 'state', 'submittedAt'),
        {
          ...globalIndex('unannounced', 'unannounced', 'dueSince'),
          projectionType: ProjectionType.KEYS_ONLY,
        },
      ],
    });
    this.rejections = table('Rejections', {
      variable: 'rejectionsTable',
      partitionKey: 'storeClientId',
      sortKey: 'rejectionId',
      timeToLiveAttribute,
      globalSecondaryIndexes: [globalIndex('bySource', 'sourceId', 'rejectionId')],
    });
    this.orders = table('Orders', {
      variable: 'ordersTable',
      partitionKey: 'storeClientId',
      sortKey: 'orderKey',
      globalSecondaryIndexes: [globalIndex('unknown', 'storeClientId', 'unknownSince')],
    });
    this.requests = table('Requests', {
      variable: 'requestsTable',
      partitionKey: 'recordId',
      timeToLiveAttribute,
      globalSecondaryIndexes: [globalIndex('open', 'open', 'touchedAt')],
    });
    this.inputs = table('Inputs', {
      variable: 'inputsTable',
      partitionKey: 'inputId',
      timeToLiveAttribute,
      globalSecondaryIndexes: [globalIndex('byStore', 'storeClientId', 'putAt')],
    });
  }
}

function globalIndex(indexName: string, partitionKey: string, sortKey: string): GlobalSecondaryIndexProps {
  return { indexName, partitionKey: stringAttribute(partitionKey), sortKey: stringAttribute(sortKey) };
}

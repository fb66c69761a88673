import { ProjectionType } from 'aws-cdk-lib/aws-dynamodb';
import { Construct } from 'constructs';
import { environmentNames } from '../../shared/settings/environment.ts';
import { ConnectorTable, stringAttribute } from './connector-table.ts';
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
  /** Each store's guard against mass mistakes in prices. */
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
  /** Rows and events that were refused, with code and reason. */
  readonly rejections: ConnectorTable;
  /** What was done with each order, by the identifier that commands gave; its index `unknown` is sparse. */
  readonly orders: ConnectorTable;
  /**
   * Requests that must not be repeated blindly, the plans of their commands, and locks; requests whose end is not applied
   * are in the sparse index `open`.
   */
  readonly requests: ConnectorTable;

  constructor(scope: Construct, id: string, props: ConnectorTablesProps) {
    super(scope, id);
    const protection = props.protectData === undefined ? {} : { protectData: props.protectData };
    const submittedAt = stringAttribute('submittedAt');

    this.listings = new ConnectorTable(this, 'Listings', {
      ...protection,
      variable: environmentNames.listingsTable,
      partitionKey: 'storeClientId',
      sortKey: 'target',
      localSecondaryIndexes: [
        { indexName: 'waiting', sortKey: stringAttribute('waiting'), projectionType: ProjectionType.ALL },
      ],
    });
    this.lanes = new ConnectorTable(this, 'Lanes', {
      ...protection,
      variable: environmentNames.lanesTable,
      partitionKey: 'storeClientId',
    });
    this.limits = new ConnectorTable(this, 'Limits', {
      ...protection,
      variable: environmentNames.limitsTable,
      partitionKey: 'limitId',
    });
    this.guards = new ConnectorTable(this, 'Guards', {
      ...protection,
      variable: environmentNames.guardsTable,
      partitionKey: 'storeClientId',
    });
    this.stores = new ConnectorTable(this, 'Stores', {
      ...protection,
      variable: environmentNames.storesTable,
      partitionKey: 'storeClientId',
      encryptionKey: props.encryptionKey,
    });
    this.sessions = new ConnectorTable(this, 'Sessions', {
      ...protection,
      variable: environmentNames.sessionsTable,
      partitionKey: 'nonce',
      timeToLiveAttribute: 'expiresAt',
    });
    this.batches = new ConnectorTable(this, 'Batches', {
      ...protection,
      variable: environmentNames.batchesTable,
      partitionKey: 'batchId',
      globalSecondaryIndexes: [
        { indexName: 'byStore', partitionKey: stringAttribute('storeClientId'), sortKey: submittedAt },
        { indexName: 'byState', partitionKey: stringAttribute('state'), sortKey: submittedAt },
        {
          indexName: 'unannounced',
          partitionKey: stringAttribute('unannounced'),
          sortKey: stringAttribute('dueSince'),
          projectionType: ProjectionType.KEYS_ONLY,
        },
      ],
    });
    this.rejections = new ConnectorTable(this, 'Rejections', {
      ...protection,
      variable: environmentNames.rejectionsTable,
      partitionKey: 'storeClientId',
      sortKey: 'rejectionId',
      timeToLiveAttribute: 'expiresAt',
    });
    this.orders = new ConnectorTable(this, 'Orders', {
      ...protection,
      variable: environmentNames.ordersTable,
      partitionKey: 'storeClientId',
      sortKey: 'orderKey',
      globalSecondaryIndexes: [
        {
          indexName: 'unknown',
          partitionKey: stringAttribute('storeClientId'),
          sortKey: stringAttribute('unknownSince'),
        },
      ],
    });
    this.requests = new ConnectorTable(this, 'Requests', {
      ...protection,
      variable: environmentNames.requestsTable,
      partitionKey: 'recordId',
      timeToLiveAttribute: 'expiresAt',
      globalSecondaryIndexes: [
        { indexName: 'open', partitionKey: stringAttribute('open'), sortKey: stringAttribute('touchedAt') },
      ],
    });
  }
}

import { Construct } from 'constructs';
import type { ConnectorSettings } from '../settings.ts';
import { ConnectorTable, type TableDefinition } from './connector-table.ts';
import type { DataKey } from './data-key.ts';

/** The tables by name. The names of construct and setting follow from it: `listings` gives `Listings` and `listingsTable`. */
const TABLES = {
  /**
   * Desired price and stock of each target. The sparse index has the listings whose product was read at the marketplace, by the product's
   * ID.
   */
  listings: {
    partitionKey: 'storeClientId',
    sortKey: 'target',
    isBusiest: true,
    indexes: { byProductId: { partitionKey: 'productId', sortKey: 'target', holds: [] } },
  },
  /** Pages of the targets that wait; empty while nothing waits. */
  waiting: { partitionKey: 'storeClientId', sortKey: 'page' },
  /** The lane of each store: its lease, and what the last holder of the lease found. */
  lanes: { partitionKey: 'storeClientId' },
  /**
   * The rate limiter: one item, or several at a high rate. Also records the restored tables from which a person has allowed to send
   * again.
   */
  limits: { partitionKey: 'limitId', isRestorable: false },
  /** Each store's guard against mass mistakes in prices. Guards that hold prices are in the sparse index `held`. */
  guards: {
    partitionKey: 'storeClientId',
    indexes: { held: { partitionKey: 'held', sortKey: 'heldSince', holds: ['hold'] } },
  },
  /** Stores and their tokens. */
  stores: { partitionKey: 'storeClientId', holdsSecrets: true },
  /** Onboardings that were begun, by nonce. */
  sessions: { partitionKey: 'nonce', expires: true },
  /**
   * ASYNC calls and the outcome of their rows, indexed by store and by state, in the order of submission. Until a batch's event is
   * published, the batch is listed as `submitted`.
   */
  batches: {
    partitionKey: 'batchId',
    retention: 'recordRetentionDays',
    indexes: {
      byStore: { partitionKey: 'storeClientId', sortKey: 'submittedAt', holds: [] },
      byState: { partitionKey: 'listedAs', sortKey: 'submittedAt', holds: [] },
    },
  },
  /** Rejected rows and events with code and reason, indexed by the command or event that brought them. */
  rejections: {
    partitionKey: 'storeClientId',
    sortKey: 'rejectionId',
    retention: 'recordRetentionDays',
    indexes: { bySource: { partitionKey: 'sourceId', sortKey: 'rejectionId' } },
  },
  /**
   * What was done with each order, by the identifier in its commands. The index `unknown` is sparse; the index `recent` is by the last
   * request.
   */
  orders: {
    partitionKey: 'storeClientId',
    sortKey: 'orderKey',
    retention: 'orderRetentionDays',
    indexes: {
      unknown: { partitionKey: 'storeClientId', sortKey: 'unknownSince' },
      recent: { partitionKey: 'storeClientId', sortKey: 'requestedAt', holds: [] },
    },
  },
  /**
   * Records of requests that must not be repeated blindly, the plans of commands, and locks. Requests whose answer is not
   * applied yet are in the sparse index `open`.
   */
  requests: {
    partitionKey: 'recordId',
    retention: 'recordRetentionDays',
    indexes: { open: { partitionKey: 'open', sortKey: 'touchedAt', holds: [] } },
  },
  /**
   * Listings whose live values are not the accepted ones, and what each page of a verification showed. Listings that wait for
   * a person are in the sparse index `contested`.
   */
  drift: {
    partitionKey: 'storeClientId',
    sortKey: 'entry',
    indexes: { contested: { partitionKey: 'contested', sortKey: 'contestedSince' } },
  },
  /** The progress of each store's verification. */
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
    indexes: { byStore: { partitionKey: 'storeClientId', sortKey: 'putAt' } },
  },
} satisfies Record<string, TableDefinition>;

type TableName = keyof typeof TABLES;
export type ConnectorTables = Readonly<Record<TableName, ConnectorTable>>;

export function createTables(
  scope: Construct,
  settings: ConnectorSettings,
  encryptionKey: DataKey,
): ConnectorTables {
  const parent = new Construct(scope, 'Tables');
  const tables = Object.entries(TABLES).map(([name, definition]) => {
    const tableId = name.charAt(0).toUpperCase() + name.slice(1);
    const variable = `${name as TableName}Table` as const;
    return [name, new ConnectorTable(parent, tableId, { ...definition, variable, settings, encryptionKey })];
  });
  return Object.fromEntries(tables) as ConnectorTables;
}

import type { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import {
  AttributeType,
  BillingMode,
  type ITable,
  ProjectionType,
  Table,
  TableEncryption,
  type TableProps,
} from 'aws-cdk-lib/aws-dynamodb';
import { Construct } from 'constructs';
import type { Setting } from '../../shared/settings/environment.ts';
import { type ConnectorSettings, refusesDeletion } from '../settings.ts';
import type { ConnectorFunction } from './connector-function.ts';
import type { DataKey } from './data-key.ts';
import { dataPolicy } from './data-policy.ts';
import { metricOf } from './metrics.ts';

type Action =
  | 'GetItem'
  | 'BatchGetItem'
  | 'Query'
  | 'Scan'
  | 'PutItem'
  | 'DeleteItem'
  | 'UpdateItem'
  | 'BatchWriteItem'
  /** A query of the index with this name. */
  | `Query ${string}`;

/** What a table is. Keys are strings. */
export interface TableDefinition {
  readonly partitionKey: string;
  /** Default: none. */
  readonly sortKey?: string;
  /** Global indexes by name. `holds`: the attributes in them beside the keys. Default: all. */
  readonly indexes?: Readonly<
    Record<
      string,
      { readonly partitionKey: string; readonly sortKey: string; readonly holds?: readonly string[] }
    >
  >;
  /** Whether DynamoDB may delete an item after its `expiresAt` (epoch seconds). Default: if there is a `retention`. */
  readonly expires?: boolean;
  /** Setting for the days for which items are kept. */
  readonly retention?: Extract<Setting, `${string}RetentionDays`>;
  /** Whether the table takes the most writes of all, and its capacity is a setting. Default: false. */
  readonly isBusiest?: boolean;
  /** Whether a restored table may take its place. Default: true. */
  readonly isRestorable?: boolean;
  /** Whether the customer-managed key encrypts the table. Default: DynamoDB's own key does. */
  readonly holdsSecrets?: boolean;
}

export interface ConnectorTableProps extends TableDefinition {
  /** Setting that gives a function the table's name. */
  readonly variable: Extract<Setting, `${string}Table`>;
  readonly settings: ConnectorSettings;
  readonly encryptionKey: DataKey;
}

/** A table with point-in-time recovery, and its grants. It is on-demand unless settings provision it. */
export class ConnectorTable extends Construct {
  readonly table: ITable;
  private readonly props: ConnectorTableProps;
  private readonly encryptionKey: DataKey | undefined;

  constructor(scope: Construct, id: string, props: ConnectorTableProps) {
    super(scope, id);
    this.props = props;
    const { settings, isRestorable = true } = props;
    this.encryptionKey = props.holdsSecrets ? props.encryptionKey : undefined;
    this.table =
      settings.restoredTables !== undefined && isRestorable
        ? Table.fromTableName(this, 'Restored', `${settings.restoredTables}-${id}`)
        : this.createTable();
  }

  private createTable(): ITable {
    const { partitionKey, sortKey, settings, isBusiest, retention, indexes = {} } = this.props;
    const { expires = retention !== undefined } = this.props;
    const capacity = isBusiest ? capacityOf(settings) : ON_DEMAND;
    // Not TableV2: it can't use a customer-managed key in a stack that names no region.
    const table = new Table(this, 'Table', {
      partitionKey: stringKey(partitionKey),
      ...(sortKey && { sortKey: stringKey(sortKey) }),
      ...(expires && { timeToLiveAttribute: 'expiresAt' }),
      ...capacity,
      ...(this.encryptionKey
        ? { encryption: TableEncryption.CUSTOMER_MANAGED, encryptionKey: this.encryptionKey.key }
        : { encryption: TableEncryption.DEFAULT }),
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      deletionProtection: refusesDeletion(settings),
      removalPolicy: dataPolicy(settings.protectData),
    });
    for (const [indexName, index] of Object.entries(indexes)) {
      table.addGlobalSecondaryIndex({
        indexName,
        partitionKey: stringKey(index.partitionKey),
        sortKey: stringKey(index.sortKey),
        ...projectionOf(index.holds),
        ...(capacity.billingMode === BillingMode.PROVISIONED && INDEX_UNITS),
      });
    }
    // With exactOptionalPropertyTypes CDK's class does not match its own interface.
    return table as ITable;
  }

  /** Gives `fn` the table's name and allows `actions`. */
  allow(fn: ConnectorFunction, ...actions: readonly Action[]): void {
    const { variable, retention, settings } = this.props;
    fn.set({ [variable]: this.table.tableName, ...(retention && { [retention]: settings[retention] }) });
    const { tableArn } = this.table;
    const allowed = actions.map((action) => action.split(' '));
    for (const index of new Set(allowed.map(([, name]) => name))) {
      const own = allowed.filter(([, name]) => name === index);
      const resource = index === undefined ? tableArn : `${tableArn}/index/${index}`;
      fn.allow(
        own.map(([operation]) => `dynamodb:${operation}`),
        [resource],
      );
    }
    // The actions of CDK's own table grants, which DynamoDB needs, but through DynamoDB only and without wildcards.
    this.encryptionKey?.allowThrough('dynamodb', fn, 'kms:Decrypt', 'kms:DescribeKey');
    if (actions.some((action) => /^(Put|Update|BatchWrite)/.test(action))) {
      this.encryptionKey?.allowThrough(
        'dynamodb',
        fn,
        'kms:Encrypt',
        'kms:GenerateDataKey',
        'kms:ReEncryptFrom',
        'kms:ReEncryptTo',
      );
    }
  }

  /** Throttled reads and writes of the table and of each global index, in periods of 5 minutes. */
  metricsThrottles(): Metric[] {
    const indexes = Object.keys(this.props.indexes ?? {}).map((name) => ({ GlobalSecondaryIndexName: name }));
    return [{}, ...indexes].flatMap((ofIndex) =>
      ['ReadThrottleEvents', 'WriteThrottleEvents'].map((name) =>
        metricOf('AWS/DynamoDB', name, { TableName: this.table.tableName, ...ofIndex }),
      ),
    );
  }
}

/** Of an index of the busiest table, if that is provisioned: an entry is written once, at the pace of the listing-verifier. */
const INDEX_UNITS = { readCapacity: 5, writeCapacity: 50 };

const ON_DEMAND = { billingMode: BillingMode.PAY_PER_REQUEST };

function capacityOf(settings: ConnectorSettings): Partial<TableProps> {
  const { listingsProvisionedReadUnits, listingsProvisionedWriteUnits } = settings;
  if (listingsProvisionedReadUnits && listingsProvisionedWriteUnits) {
    return {
      billingMode: BillingMode.PROVISIONED,
      readCapacity: listingsProvisionedReadUnits,
      writeCapacity: listingsProvisionedWriteUnits,
    };
  }
  const { listingsWarmReadUnits, listingsWarmWriteUnits } = settings;
  // Without it DynamoDB raises it by itself, and an update must not ask for less.
  if (!listingsWarmReadUnits && !listingsWarmWriteUnits) return ON_DEMAND;
  return {
    ...ON_DEMAND,
    warmThroughput: {
      ...(listingsWarmReadUnits && { readUnitsPerSecond: listingsWarmReadUnits }),
      ...(listingsWarmWriteUnits && { writeUnitsPerSecond: listingsWarmWriteUnits }),
    },
  };
}

function stringKey(name: string) {
  return { name, type: AttributeType.STRING };
}

/** An index of keys alone is not written when other attributes of an item change. */
function projectionOf(holds: readonly string[] | undefined) {
  if (holds === undefined) return {};
  if (holds.length === 0) return { projectionType: ProjectionType.KEYS_ONLY };
  return { projectionType: ProjectionType.INCLUDE, nonKeyAttributes: [...holds] };
}

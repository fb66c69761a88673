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

/** Definition of a table. All keys are strings. */
export interface TableDefinition {
  readonly partitionKey: string;
  /** Default: none. */
  readonly sortKey?: string;
  /** Global indexes by name. `holds`: the attributes that an index has besides the keys. Default: all. */
  readonly indexes?: Readonly<
    Record<
      string,
      { readonly partitionKey: string; readonly sortKey: string; readonly holds?: readonly string[] }
    >
  >;
  /** Whether DynamoDB may delete an item after its `expiresAt` (epoch seconds). Default: whether there is a `retention`. */
  readonly expires?: boolean;
  /** Setting for the days for which items are kept. */
  readonly retention?: Extract<Setting, `${string}RetentionDays`>;
  /** Whether this is the table with the most writes, whose capacity is a setting. Default: false. */
  readonly isBusiest?: boolean;
  /** Whether a restored table may take its place. Default: true. */
  readonly isRestorable?: boolean;
  /** Whether the customer-managed key encrypts the table. Default: DynamoDB's own key encrypts it. */
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
    // `TableV2` is not used: it can't have a customer-managed key in a stack that names no region.
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
    // DynamoDB needs these actions. CDK's own table grants have them too, but with wildcards and not limited to DynamoDB.
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

/**
 * Capacity of an index of the busiest table, if the table is provisioned. An entry is written once, as fast as the listing-verifier
 * works.
 */
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
  // Without these settings, no warm throughput is set: DynamoDB raises it by itself, and an update must not ask for less.
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

/** An index with only keys is not written when other attributes of an item change. */
function projectionOf(holds: readonly string[] | undefined) {
  if (holds === undefined) return {};
  if (holds.length === 0) return { projectionType: ProjectionType.KEYS_ONLY };
  return { projectionType: ProjectionType.INCLUDE, nonKeyAttributes: [...holds] };
}

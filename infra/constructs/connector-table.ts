import type { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import {
  type Attribute,
  AttributeType,
  BillingMode,
  type GlobalSecondaryIndexProps,
  Table,
  TableEncryption,
  type WarmThroughput,
} from 'aws-cdk-lib/aws-dynamodb';
import { Construct } from 'constructs';
import type { Setting } from '../../shared/settings/environment.ts';
import type { ConnectorFunction } from './connector-function.ts';
import type { DataKey } from './data-key.ts';
import { dataPolicy } from './data-policy.ts';
import { metricOf } from './metrics.ts';

type ReadAction = 'GetItem' | 'BatchGetItem' | 'Query' | 'Scan';
type WriteAction = 'PutItem' | 'DeleteItem' | 'UpdateItem' | 'BatchWriteItem';
type TableVariable = Extract<Setting, `${string}Table`>;
type RetentionSetting = Extract<Setting, `${string}RetentionDays`>;

export interface ConnectorTableProps {
  /** Name of the partition key, a string. */
  readonly partitionKey: string;
  /** Name of the sort key, a string. Default: none. */
  readonly sortKey?: string;
  /** Setting that gives a function the table's name. */
  readonly variable: TableVariable;
  readonly globalSecondaryIndexes?: readonly GlobalSecondaryIndexProps[];
  /** Whether DynamoDB may delete an item after its `expiresAt` (epoch seconds). Default: items never expire. */
  readonly expires?: boolean;
  /** Setting that gives a function the days until items expire, and its value. Default: none. */
  readonly retention?: Partial<Record<RetentionSetting, number>>;
  /** Read and write units per second that the table takes at once. Default: DynamoDB's, 12,000 and 4,000. */
  readonly warmThroughput?: WarmThroughput;
  /** Customer-managed key for the table. Default: DynamoDB's own key. */
  readonly encryptionKey?: DataKey;
  /** Whether the table outlives the stack. */
  readonly protectData: boolean;
  /** Whether the table refuses deletion. */
  readonly deletionProtection: boolean;
}

export function stringAttribute(name: string): Attribute {
  return { name, type: AttributeType.STRING };
}

/** An on-demand table with point-in-time recovery, and its grants. */
export class ConnectorTable extends Construct {
  readonly table: Table;
  private readonly variable: TableVariable;
  private readonly retention: NonNullable<ConnectorTableProps['retention']>;
  private readonly globalIndexes: readonly string[];
  private readonly encryptionKey: DataKey | undefined;

  constructor(scope: Construct, id: string, props: ConnectorTableProps) {
    super(scope, id);
    this.variable = props.variable;
    this.retention = props.retention ?? {};
    this.globalIndexes = (props.globalSecondaryIndexes ?? []).map(({ indexName }) => indexName);
    this.encryptionKey = props.encryptionKey;
    // Not TableV2: it can't use a customer-managed key in a stack that names no region.
    this.table = new Table(this, 'Table', {
      partitionKey: stringAttribute(props.partitionKey),
      ...(props.sortKey ? { sortKey: stringAttribute(props.sortKey) } : {}),
      ...(props.expires || props.retention ? { timeToLiveAttribute: 'expiresAt' } : {}),
      ...(props.warmThroughput ? { warmThroughput: props.warmThroughput } : {}),
      ...(props.encryptionKey
        ? { encryption: TableEncryption.CUSTOMER_MANAGED, encryptionKey: props.encryptionKey.key }
        : { encryption: TableEncryption.DEFAULT }),
      billingMode: BillingMode.PAY_PER_REQUEST,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      deletionProtection: props.deletionProtection,
      removalPolicy: dataPolicy(props.protectData),
    });
    for (const index of props.globalSecondaryIndexes ?? []) this.table.addGlobalSecondaryIndex(index);
  }

  /** Gives `fn` the table's name and allows `actions` on the table's items, not on its indexes. */
  allow(fn: ConnectorFunction, ...actions: readonly (ReadAction | WriteAction)[]): void {
    this.allowOn(fn, this.table.tableArn, actions);
  }

  /** Gives `fn` the table's name and lets it query the index `indexName`. */
  allowQuery(fn: ConnectorFunction, indexName: string): void {
    this.allowOn(fn, `${this.table.tableArn}/index/${indexName}`, ['Query']);
  }

  /** Throttled reads and writes of the table and of each global index, in periods of 5 minutes. */
  metricsThrottles(): Metric[] {
    const indexes = this.globalIndexes.map((name) => ({ GlobalSecondaryIndexName: name }));
    return [{}, ...indexes].flatMap((ofIndex) =>
      ['ReadThrottleEvents', 'WriteThrottleEvents'].map((name) =>
        metricOf('AWS/DynamoDB', name, { TableName: this.table.tableName, ...ofIndex }),
      ),
    );
  }

  private allowOn(
    fn: ConnectorFunction,
    resource: string,
    actions: readonly (ReadAction | WriteAction)[],
  ): void {
    fn.set({ [this.variable]: this.table.tableName, ...this.retention });
    fn.allow(
      actions.map((action) => `dynamodb:${action}`),
      [resource],
    );
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
}

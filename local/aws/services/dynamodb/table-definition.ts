import * as z from 'zod';
import { readProperties } from '../../template/read-properties.ts';
import type { StackResource } from '../../template/read-stack.ts';

const keySchema = z.array(z.strictObject({ AttributeName: z.string(), KeyType: z.enum(['HASH', 'RANGE']) }));
const projection = z.strictObject({
  ProjectionType: z.string(),
  NonKeyAttributes: z.array(z.string()).optional(),
});

const index = z
  .object({ IndexName: z.string(), KeySchema: keySchema, Projection: projection })
  .describe('throughput and insights settings of an index have no effect here');

const encryption = z
  .looseObject({ SSEEnabled: z.boolean().optional(), KMSMasterKeyId: z.string().optional() })
  .optional();

const tableProperties = z.strictObject({
  TableName: z.string().optional(),
  AttributeDefinitions: z.array(z.strictObject({ AttributeName: z.string(), AttributeType: z.string() })),
  KeySchema: keySchema,
  BillingMode: z.literal('PAY_PER_REQUEST').optional(),
  ProvisionedThroughput: z
    .unknown()
    .optional()
    .describe('a provisioned table is on-demand here, as no capacity is counted'),
  GlobalSecondaryIndexes: z.array(index).default([]),
  SSESpecification: encryption,
  TimeToLiveSpecification: z.unknown().optional(),
  WarmThroughput: z.unknown().optional(),
  DeletionProtectionEnabled: z.unknown().optional(),
  PointInTimeRecoverySpecification: z.unknown().optional(),
  ContributorInsightsSpecification: z.unknown().optional(),
  TableClass: z.unknown().optional(),
  Tags: z.unknown().optional(),
});

/** A table of the stack. */
export interface TableDefinition {
  readonly name: string;
  readonly arn: string;
  readonly keyAttributes: readonly string[];
  readonly globalIndexes: readonly string[];
  /** Most bytes of each attribute in a key of the table or of an index. */
  readonly keyBytes: ReadonlyMap<string, number>;
  /** ARN of the customer-managed key, where the table has one. */
  readonly keyArn: string | undefined;
  /** The input of `CreateTable`. */
  readonly create: Readonly<Record<string, unknown>>;
}

/**
 * Reads a table of the template. Backup, deletion protection, time to live and provisioned capacity have no effect here.
 *
 * @throws TemplateError for a property that the local run does not know: a stream, a local index.
 */
export function tableDefinition(resource: StackResource): TableDefinition {
  const table = readProperties(resource, tableProperties);
  const { AttributeDefinitions, KeySchema, GlobalSecondaryIndexes, SSESpecification } = table;
  return {
    name: resource.name,
    arn: resource.attributes.Arn ?? '',
    keyAttributes: KeySchema.map((key) => key.AttributeName),
    globalIndexes: GlobalSecondaryIndexes.map(({ IndexName }) => IndexName),
    keyBytes: keyBytes([KeySchema, ...GlobalSecondaryIndexes.map((index) => index.KeySchema)]),
    keyArn: SSESpecification?.KMSMasterKeyId,
    create: {
      TableName: resource.name,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions,
      KeySchema,
      ...(GlobalSecondaryIndexes.length > 0 ? { GlobalSecondaryIndexes } : {}),
    },
  };
}

/** DynamoDB's limits of a partition key and of a sort key. */
const MOST_BYTES = { HASH: 2_048, RANGE: 1_024 } as const;

function keyBytes(schemas: readonly z.output<typeof keySchema>[]): ReadonlyMap<string, number> {
  const sizes = schemas
    .flat()
    .map(({ AttributeName, KeyType }) => [AttributeName, MOST_BYTES[KeyType]] as const);
  // If an attribute is in several keys, its lowest limit is set last.
  return new Map(sizes.toSorted(([, one], [, other]) => other - one));
}

/** A resource that holds state or an address, with the properties that can't change without a new resource in its place. */
export interface LastingResource {
  readonly type: string;
  readonly fixed: Readonly<Record<string, unknown>>;
  /** Global indexes of a table, by name: one more may be added, but none may change or go. */
  readonly indexes?: Readonly<Record<string, unknown>>;
}

export type LastingResources = Readonly<Record<string, LastingResource>>;

interface Template {
  readonly Resources: Readonly<
    Record<string, { readonly Type: string; readonly Properties?: Readonly<Record<string, unknown>> }>
  >;
}

/** By type, the properties whose change makes CloudFormation replace the resource, as far as templates set them. */
const REPLACING: Readonly<Record<string, readonly string[]>> = {
  'AWS::DynamoDB::Table': ['TableName', 'KeySchema', 'LocalSecondaryIndexes'],
  'AWS::S3::Bucket': ['BucketName'],
  'AWS::SQS::Queue': ['QueueName', 'FifoQueue'],
  'AWS::SecretsManager::Secret': ['Name'],
  'AWS::KMS::Key': ['KeySpec', 'KeyUsage', 'Origin', 'MultiRegion'],
  'AWS::Events::EventBus': ['Name'],
  'AWS::ApiGatewayV2::Api': ['ProtocolType'],
};

/** The resources of a template that an update must keep, by logical ID. */
export function lastingResources({ Resources }: Template): LastingResources {
  const entries = Object.entries(Resources).flatMap(([id, { Type, Properties = {} }]) => {
    const names = REPLACING[Type];
    if (names === undefined) return [];
    const set = names.flatMap((name) => (name in Properties ? [[name, Properties[name]]] : []));
    const table = Type === 'AWS::DynamoDB::Table' ? tableFacts(Properties) : undefined;
    const fixed = { ...Object.fromEntries(set), ...table?.fixed };
    return [[id, { type: Type, fixed, ...(table && { indexes: table.indexes }) }] as const];
  });
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

interface Key {
  readonly AttributeName: string;
}

function tableFacts(properties: Readonly<Record<string, unknown>>) {
  const { KeySchema, LocalSecondaryIndexes, GlobalSecondaryIndexes, AttributeDefinitions } = properties as {
    KeySchema: readonly Key[];
    LocalSecondaryIndexes?: readonly { readonly KeySchema: readonly Key[] }[];
    GlobalSecondaryIndexes?: readonly { readonly IndexName: string; readonly KeySchema: readonly Key[] }[];
    AttributeDefinitions: readonly (Key & { readonly AttributeType: string })[];
  };
  const typesOf = (keys: readonly Key[]) =>
    keys.map(({ AttributeName }) => {
      const found = AttributeDefinitions.find((one) => one.AttributeName === AttributeName);
      return `${AttributeName}: ${found?.AttributeType}`;
    });
  const indexes = (GlobalSecondaryIndexes ?? []).map(({ IndexName, ...index }) => [
    IndexName,
    { ...index, keyTypes: typesOf(index.KeySchema) },
  ]);
  const keys = [KeySchema, ...(LocalSecondaryIndexes ?? []).map((index) => index.KeySchema)].flat();
  return { fixed: { keyTypes: typesOf(keys) }, indexes: Object.fromEntries(indexes) };
}

/** What of `before` an update to `after` would replace, remove, or ask of CloudFormation what it can't do; each as a sentence. */
export function lossesBetween(before: LastingResources, after: LastingResources): string[] {
  return Object.entries(before).flatMap(([id, was]) => {
    const is = after[id];
    if (is === undefined) return [`${id} (${was.type}) is removed`];
    if (is.type !== was.type) return [`${id} becomes ${is.type}`];
    const names = new Set([...Object.keys(was.fixed), ...Object.keys(is.fixed)]);
    const replaced = [...names].filter((name) => differ(was.fixed[name], is.fixed[name]));
    return [
      ...replaced.map((name) => `${id} is replaced: ${name} changes`),
      ...indexLosses(id, was.indexes ?? {}, is.indexes ?? {}),
    ];
  });
}

function indexLosses(
  id: string,
  was: Readonly<Record<string, unknown>>,
  is: Readonly<Record<string, unknown>>,
): string[] {
  const changed = Object.keys(was).filter((name) => differ(was[name], is[name]));
  const added = Object.keys(is).filter((name) => !(name in was));
  return [
    ...changed.map((name) => `${id}: the index ${name} ${name in is ? 'changes' : 'is removed'}`),
    ...(added.length > 1
      ? [`${id}: CloudFormation adds one index in an update, not ${added.join(' and ')}`]
      : []),
  ];
}

function differ(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) !== JSON.stringify(other);
}

import { isDeepStrictEqual } from 'node:util';
import type { Backend } from '../backend.ts';
import type { TableDefinition } from './table-definition.ts';

interface Description {
  readonly TableStatus?: string;
  readonly KeySchema: unknown;
  readonly GlobalSecondaryIndexes?: readonly { readonly IndexName: string; readonly KeySchema: unknown }[];
}

const TARGET = 'DynamoDB_20120810';
/** Items of one `BatchWriteItem`. */
const ITEMS_PER_WRITE = 25;
const LOOK_AGAIN_MS = 20;
const SETTLED_WITHIN_MS = 30_000;

/**
 * Brings the global indexes of a table that is kept from an earlier run up to date. The backend can't add an index to a table, so the
 * table is created again with its items.
 *
 * @throws Error when CloudFormation would replace the table: its items would be gone
 */
export async function updateTable(
  backend: Backend,
  name: string,
  { create }: TableDefinition,
): Promise<void> {
  const present = await describe(backend, name);
  const wanted = create as unknown as Description;
  if (!isDeepStrictEqual(present.KeySchema, wanted.KeySchema))
    throw new Error(`an update would replace the table ${name}`);
  if (isDeepStrictEqual(keysOf(present.GlobalSecondaryIndexes), keysOf(wanted.GlobalSecondaryIndexes)))
    return;
  const items = await itemsOf(backend, name);
  await backend.json(`${TARGET}.DeleteTable`, { TableName: name });
  await settled(async () => !(await tableNames(backend)).includes(name));
  await createTable(backend, name, { create });
  for (let start = 0; start < items.length; start += ITEMS_PER_WRITE) {
    const requests = items.slice(start, start + ITEMS_PER_WRITE).map((Item) => ({ PutRequest: { Item } }));
    await backend.json(`${TARGET}.BatchWriteItem`, { RequestItems: { [name]: requests } });
  }
}

/** Creates a table. It can be written to when this resolves. */
export async function createTable(
  backend: Backend,
  name: string,
  { create }: Pick<TableDefinition, 'create'>,
): Promise<void> {
  await backend.json(`${TARGET}.CreateTable`, { ...create, TableName: name });
  await settled(async () => (await describe(backend, name)).TableStatus === 'ACTIVE');
}

export async function tableNames(backend: Backend): Promise<string[]> {
  return (await backend.json<{ TableNames: string[] }>(`${TARGET}.ListTables`, {})).TableNames;
}

async function describe(backend: Backend, TableName: string): Promise<Description> {
  return (await backend.json<{ Table: Description }>(`${TARGET}.DescribeTable`, { TableName })).Table;
}

/** The backend creates and deletes tables after its answer. */
async function settled(isSettled: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + SETTLED_WITHIN_MS;
  while (!(await isSettled())) {
    if (Date.now() > end) throw new Error('a table did not settle in time');
    await new Promise((go) => setTimeout(go, LOOK_AGAIN_MS));
  }
}

function keysOf(indexes: Description['GlobalSecondaryIndexes'] = []): Record<string, unknown> {
  return Object.fromEntries(indexes.map(({ IndexName, KeySchema }) => [IndexName, KeySchema]));
}

async function itemsOf(backend: Backend, name: string): Promise<object[]> {
  const items: object[] = [];
  let from: object | undefined;
  do {
    const page = await backend.json<{ Items: object[]; LastEvaluatedKey?: object }>(`${TARGET}.Scan`, {
      TableName: name,
      ...(from && { ExclusiveStartKey: from }),
    });
    items.push(...page.Items);
    from = page.LastEvaluatedKey;
  } while (from !== undefined);
  return items;
}

import { isDeepStrictEqual } from 'node:util';
import type { Backend } from '../backend.ts';
import type { TableDefinition } from './table-definition.ts';

interface Description {
  readonly KeySchema: unknown;
  readonly LocalSecondaryIndexes?: readonly { readonly IndexName: string; readonly KeySchema: unknown }[];
  readonly GlobalSecondaryIndexes?: readonly { readonly IndexName: string; readonly KeySchema: unknown }[];
}

const TARGET = 'DynamoDB_20120810';
/** Items of one `BatchWriteItem`. */
const ITEMS_PER_WRITE = 25;
const LOOK_AGAIN_MS = 20;

/**
 * Brings the global indexes of a table that is kept from an earlier run up to date. The backend can't add one to a table, so
 * the table is made again with its items.
 *
 * @throws Error when CloudFormation would replace the table: its items would be gone
 */
export async function updateTable(
  backend: Backend,
  name: string,
  { create }: TableDefinition,
): Promise<void> {
  const { Table } = await backend.json<{ Table: Description }>(`${TARGET}.DescribeTable`, {
    TableName: name,
  });
  const wanted = create as unknown as Description;
  const isReplaced =
    !isDeepStrictEqual(Table.KeySchema, wanted.KeySchema) ||
    !isDeepStrictEqual(keysOf(Table.LocalSecondaryIndexes), keysOf(wanted.LocalSecondaryIndexes));
  if (isReplaced) throw new Error(`an update would replace the table ${name}`);
  if (isDeepStrictEqual(keysOf(Table.GlobalSecondaryIndexes), keysOf(wanted.GlobalSecondaryIndexes))) return;
  const items = await itemsOf(backend, name);
  await backend.json(`${TARGET}.DeleteTable`, { TableName: name });
  while ((await tableNames(backend)).includes(name)) await new Promise((go) => setTimeout(go, LOOK_AGAIN_MS));
  await backend.json(`${TARGET}.CreateTable`, { ...create, TableName: name });
  for (let start = 0; start < items.length; start += ITEMS_PER_WRITE) {
    const requests = items.slice(start, start + ITEMS_PER_WRITE).map((Item) => ({ PutRequest: { Item } }));
    await backend.json(`${TARGET}.BatchWriteItem`, { RequestItems: { [name]: requests } });
  }
}

export async function tableNames(backend: Backend): Promise<string[]> {
  return (await backend.json<{ TableNames: string[] }>(`${TARGET}.ListTables`, {})).TableNames;
}

function keysOf(indexes: Description['LocalSecondaryIndexes'] = []): Record<string, unknown> {
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

import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { ConnectorRun } from '../../../local/run/connector-run.ts';

export interface ItemToFind {
  /** A part of the table's name that no other table has. */
  readonly table: string;
  readonly key: Readonly<Record<string, string>>;
}

export interface AttributeToSet extends ItemToFind {
  readonly name: string;
  readonly value: string | number | object;
}

/** Changes an attribute of an item directly, for example to let time pass. */
export function setAttribute(run: ConnectorRun, { name, value, ...item }: AttributeToSet): Promise<void> {
  return withTable(run, item, async (tables, found) => {
    await tables.send(
      new UpdateCommand({
        ...found,
        UpdateExpression: 'SET #name = :value',
        ConditionExpression: 'attribute_exists(#name)',
        ExpressionAttributeNames: { '#name': name },
        ExpressionAttributeValues: { ':value': value },
      }),
    );
  });
}

/** An item of a table that has no output. */
export function getItem(
  run: ConnectorRun,
  item: ItemToFind,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  return withTable(run, item, async (tables, found) => (await tables.send(new GetCommand(found))).Item);
}

async function withTable<Result>(
  { local }: ConnectorRun,
  { table, key }: ItemToFind,
  work: (
    tables: DynamoDBDocumentClient,
    found: { TableName: string | undefined; Key: ItemToFind['key'] },
  ) => Promise<Result>,
): Promise<Result> {
  const { endpoint, region, adminCredentials: credentials } = local;
  const client = new DynamoDBClient({ endpoint, region, credentials });
  try {
    const { TableNames = [] } = await client.send(new ListTablesCommand({}));
    const TableName = TableNames.find((candidate) => candidate.includes(table));
    return await work(DynamoDBDocumentClient.from(client), { TableName, Key: key });
  } finally {
    client.destroy();
  }
}

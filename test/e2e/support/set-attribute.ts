import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { ConnectorRun } from '../../run/connector-run.ts';

export interface AttributeToSet {
  /** A part of the table's name that no other has. */
  readonly table: string;
  readonly key: Readonly<Record<string, string>>;
  readonly name: string;
  readonly value: string | number;
}

/** Changes an item of the stack behind its back: how tests let time pass. */
export async function setAttribute(
  { local }: ConnectorRun,
  { table, key, name, value }: AttributeToSet,
): Promise<void> {
  const { endpoint, region, adminCredentials: credentials } = local;
  const client = new DynamoDBClient({ endpoint, region, credentials });
  try {
    const { TableNames = [] } = await client.send(new ListTablesCommand({}));
    await DynamoDBDocumentClient.from(client).send(
      new UpdateCommand({
        TableName: TableNames.find((candidate) => candidate.includes(table)),
        Key: key,
        UpdateExpression: 'SET #name = :value',
        ConditionExpression: 'attribute_exists(#name)',
        ExpressionAttributeNames: { '#name': name },
        ExpressionAttributeValues: { ':value': value },
      }),
    );
  } finally {
    client.destroy();
  }
}

import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { ConnectorRun } from '../../run/connector-run.ts';

/** Lets an onboarding's three minutes be over. */
export async function expireSession({ local }: ConnectorRun, nonce: string): Promise<void> {
  const { endpoint, region, adminCredentials: credentials } = local;
  const client = new DynamoDBClient({ endpoint, region, credentials });
  try {
    const { TableNames = [] } = await client.send(new ListTablesCommand({}));
    await DynamoDBDocumentClient.from(client).send(
      new UpdateCommand({
        TableName: TableNames.find((name) => name.includes('Sessions')),
        Key: { nonce },
        UpdateExpression: 'SET validUntil = :past',
        ConditionExpression: 'attribute_exists(nonce)',
        ExpressionAttributeValues: { ':past': 1 },
      }),
    );
  } finally {
    client.destroy();
  }
}

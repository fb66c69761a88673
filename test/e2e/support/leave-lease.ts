import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { ConnectorRun } from '../../../local/run/connector-run.ts';

/** Leaves the lane of a store as after a crash of its holder: with a lease until `leaseUntil` (epoch ms). */
export async function leaveLease(
  { local }: ConnectorRun,
  storeClientId: string,
  leaseUntil: number,
): Promise<void> {
  const { endpoint, region, adminCredentials: credentials } = local;
  const client = new DynamoDBClient({ endpoint, region, credentials });
  try {
    const { TableNames = [] } = await client.send(new ListTablesCommand({}));
    await DynamoDBDocumentClient.from(client).send(
      new UpdateCommand({
        TableName: TableNames.find((name) => name.includes('Lanes')),
        Key: { storeClientId },
        UpdateExpression: 'SET leaseId = :id, leaseUntil = :until',
        ConditionExpression: 'attribute_not_exists(leaseId)',
        ExpressionAttributeValues: { ':id': 'of-one-who-died', ':until': leaseUntil },
      }),
    );
  } finally {
    client.destroy();
  }
}

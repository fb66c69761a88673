import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import {
  type DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  ScanCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { storeSchema } from '../stores/model.ts';
import type { StoreTable } from '../stores/ports.ts';
import { cursorOf, pageOptions } from './page.ts';

/** The Stores table: the only place where store tokens are kept. */
export function createStoreTable(client: DynamoDBDocumentClient, tableName: string): StoreTable {
  return {
    get: async (storeClientId) => {
      const { Item } = await client.send(
        new GetCommand({ TableName: tableName, Key: { storeClientId }, ConsistentRead: true }),
      );
      return Item === undefined ? undefined : storeSchema.parse(Item);
    },

    put: async (store) => {
      await client.send(new PutCommand({ TableName: tableName, Item: store }));
    },

    suspend: async ({ storeClientId, storeToken }, reason, at) => {
      try {
        await client.send(
          new UpdateCommand({
            TableName: tableName,
            Key: { storeClientId },
            UpdateExpression: 'SET #state = :suspended, stateReason = :reason, updatedAt = :at',
            ConditionExpression: '#state = :connected AND storeToken = :token',
            ExpressionAttributeNames: { '#state': 'state' },
            ExpressionAttributeValues: {
              ':suspended': 'suspended',
              ':connected': 'connected',
              ':reason': reason,
              ':at': at,
              ':token': storeToken,
            },
          }),
        );
        return true;
      } catch (error) {
        if (error instanceof ConditionalCheckFailedException) return false;
        throw error;
      }
    },

    list: async (options) => {
      const page = await client.send(new ScanCommand({ TableName: tableName, ...pageOptions(options) }));
      return {
        stores: (page.Items ?? []).map((item) => storeSchema.parse(item)),
        ...cursorOf(page.LastEvaluatedKey),
      };
    },
  };
}

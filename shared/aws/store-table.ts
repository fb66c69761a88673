import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import {
  type DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  ScanCommand,
  UpdateCommand,
  type UpdateCommandInput,
} from '@aws-sdk/lib-dynamodb';
import { type StoreCredentials, storeSchema } from '../stores/model.ts';
import type { StoreTable } from '../stores/ports.ts';
import { STORE_TRANSITIONS, type StoreTransitionName } from '../stores/rules/transitions.ts';
import { cursorOf, pageOptions } from './page.ts';

/** The Stores table: the only place where store tokens are kept. */
export function createStoreTable(client: DynamoDBDocumentClient, tableName: string): StoreTable {
  /** `false` when the condition does not hold. */
  const updateIf = async (update: Omit<UpdateCommandInput, 'TableName'>): Promise<boolean> => {
    try {
      await client.send(new UpdateCommand({ TableName: tableName, ...update }));
      return true;
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return false;
      throw error;
    }
  };

  const change = (
    name: StoreTransitionName,
    { storeClientId, storeToken }: StoreCredentials,
    at: string,
    reason?: string,
  ) => {
    const { from, to } = STORE_TRANSITIONS[name];
    const states = Object.fromEntries(from.map((state, index) => [`:from${index}`, state]));
    return updateIf({
      Key: { storeClientId },
      UpdateExpression: `SET #state = :to, updatedAt = :at${reason === undefined ? ' REMOVE stateReason' : ', stateReason = :reason'}`,
      ConditionExpression: `#state IN (${Object.keys(states).join(', ')}) AND storeToken = :token`,
      ExpressionAttributeNames: { '#state': 'state' },
      ExpressionAttributeValues: {
        ...states,
        ':to': to,
        ':at': at,
        ':token': storeToken,
        ...(reason === undefined ? {} : { ':reason': reason }),
      },
    });
  };

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

    suspend: (store, reason, at) => change('suspend', store, at, reason),
    resume: (store, at) => change('resume', store, at),
    unbind: (store, at) => change('unbind', store, at),

    putWarehouses: async (storeClientId, warehouses) => {
      await updateIf({
        Key: { storeClientId },
        UpdateExpression: 'SET warehouses = :warehouses',
        ConditionExpression: 'attribute_exists(storeClientId)',
        ExpressionAttributeValues: { ':warehouses': warehouses },
      });
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

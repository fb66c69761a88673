import { type DynamoDBDocumentClient, GetCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { attemptSchema } from '../attempts/model.ts';
import type { AttemptTable } from '../attempts/ports.ts';
import { expiresAt } from './expiry.ts';

/** How long attempts are kept for questions about what was sent. */
const KEPT_DAYS = 90;

/** The Attempts table: what was about to be sent, written before it was. */
export function createAttemptTable(client: DynamoDBDocumentClient, tableName: string): AttemptTable {
  return {
    put: async (attempt) => {
      const Item = { ...attempt, expiresAt: expiresAt(attempt.signedAt, KEPT_DAYS) };
      await client.send(new PutCommand({ TableName: tableName, Item }));
    },

    note: async (attemptId, result) => {
      await client.send(
        new UpdateCommand({
          TableName: tableName,
          Key: { attemptId },
          UpdateExpression: 'SET #result = :result',
          ConditionExpression: 'attribute_exists(attemptId)',
          ExpressionAttributeNames: { '#result': 'result' },
          ExpressionAttributeValues: { ':result': result },
        }),
      );
    },

    close: async (attemptId, outcome, batchId) => {
      await client.send(
        new UpdateCommand({
          TableName: tableName,
          Key: { attemptId },
          UpdateExpression: `SET #state = :outcome${batchId === undefined ? '' : ', batchId = :batchId'}`,
          ExpressionAttributeNames: { '#state': 'state' },
          ExpressionAttributeValues: {
            ':outcome': outcome,
            ...(batchId === undefined ? {} : { ':batchId': batchId }),
          },
        }),
      );
    },

    get: async (attemptId) => {
      const { Item } = await client.send(
        new GetCommand({ TableName: tableName, Key: { attemptId }, ConsistentRead: true }),
      );
      return Item === undefined ? undefined : attemptSchema.parse(Item);
    },
  };
}

import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, GetCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { type Attempt, attemptSchema } from '../attempts/model.ts';
import type { AttemptTable } from '../attempts/ports.ts';
import { ConnectorError } from '../errors/connector-error.ts';
import { expiresAt } from './items.ts';

/** How long attempts are kept for questions about what was sent. */
const KEPT_DAYS = 90;

/** The Attempts table: what was about to be sent, written before it was. */
export function createAttemptTable(client: DynamoDBDocumentClient, tableName: string): AttemptTable {
  /** @returns whether the attempt was there; DynamoDB would make one of no more than these fields. */
  const updateIfThere = async (attemptId: string, fields: Partial<Attempt>): Promise<boolean> => {
    const names = Object.keys(fields);
    try {
      await client.send(
        new UpdateCommand({
          TableName: tableName,
          Key: { attemptId },
          UpdateExpression: `SET ${names.map((name) => `#${name} = :${name}`).join(', ')}`,
          ConditionExpression: 'attribute_exists(attemptId)',
          ExpressionAttributeNames: Object.fromEntries(names.map((name) => [`#${name}`, name])),
          ExpressionAttributeValues: Object.fromEntries(
            Object.entries(fields).map(([name, value]) => [`:${name}`, value]),
          ),
        }),
      );
      return true;
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return false;
      throw error;
    }
  };

  return {
    put: async (attempt) => {
      const Item = { ...attempt, expiresAt: expiresAt(attempt.signedAt, KEPT_DAYS) };
      await client.send(new PutCommand({ TableName: tableName, Item }));
    },

    note: async (attemptId, result) => {
      if (await updateIfThere(attemptId, { result })) return;
      throw new ConnectorError(`there is no attempt ${attemptId}`, { code: 'ATTEMPT_UNKNOWN' });
    },

    close: async (attemptId, outcome, batchId) => {
      await updateIfThere(attemptId, { state: outcome, ...(batchId !== undefined && { batchId }) });
    },

    get: async (attemptId) => {
      const { Item } = await client.send(
        new GetCommand({ TableName: tableName, Key: { attemptId }, ConsistentRead: true }),
      );
      return Item === undefined ? undefined : attemptSchema.parse(Item);
    },
  };
}

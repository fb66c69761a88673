import type { DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test } from 'vitest';
import { listBatchItems } from '../../../shared/aws/batch-list.ts';

test('a page for which too much had to be looked at ends early, and the next one goes on from there', async () => {
  const asked: QueryCommand['input'][] = [];
  const send = async ({ input }: QueryCommand) => {
    asked.push(input);
    const submittedAt = `2026-01-01T00:00:${99 - asked.length}.000Z`;
    return { Items: [], LastEvaluatedKey: { batchId: 'b-1', storeClientId: 's-1', submittedAt } };
  };
  const table = { client: { send } as unknown as DynamoDBDocumentClient, tableName: 'Batches' };
  const query = { storeClientId: 's-1', kind: 'price', limit: 2 } as const;

  const { items, cursor } = await listBatchItems(table, query);
  expect(items).toEqual([]);
  expect(asked).toHaveLength(10);

  await listBatchItems(table, { ...query, cursor });
  expect(asked[10]?.ExclusiveStartKey).toBeUndefined();
  expect(asked[10]?.ExpressionAttributeValues).toMatchObject({ ':until': '2026-01-01T00:00:89.000Z' });
});

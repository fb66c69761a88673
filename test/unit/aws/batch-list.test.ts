import type { DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, test } from 'vitest';
import { listBatchItems } from '../../../shared/aws/batch-list.ts';

/** A Batches table of one completed batch, in which no query for open ones comes to an end. */
function endlessTable() {
  const asked: QueryCommand['input'][] = [];
  const send = async ({ input }: QueryCommand) => {
    const state = input.ExpressionAttributeValues?.[':state'];
    if (state === 'completed') {
      return { Items: [{ batchId: 'b-2', state, submittedAt: '2026-01-01T00:00:88.000Z' }] };
    }
    if (state !== 'submitted') return { Items: [] };
    asked.push(input);
    const submittedAt = `2026-01-01T00:00:${99 - asked.length}.000Z`;
    return { Items: [], LastEvaluatedKey: { batchId: 'b-1', state, submittedAt } };
  };
  return { asked, client: { send } as unknown as DynamoDBDocumentClient, tableName: 'Batches' };
}

describe('a page for which too much had to be looked at', () => {
  const query = { kind: 'price', limit: 2 } as const;

  test('ends early, and the next one goes on from there', async () => {
    const table = endlessTable();
    const { items, cursor } = await listBatchItems(table, { ...query, state: 'submitted' });
    expect(items).toEqual([]);
    expect(table.asked).toHaveLength(10);

    await listBatchItems(table, { ...query, state: 'submitted', cursor });
    expect(table.asked[10]?.ExclusiveStartKey).toBeUndefined();
    expect(table.asked[10]?.ExpressionAttributeValues).toMatchObject({
      ':until': '2026-01-01T00:00:89.000Z',
    });
  });

  test('has no batch of another state that is older than where it ended', async () => {
    const table = endlessTable();
    const { items, cursor } = await listBatchItems(table, query);
    expect(items).toEqual([]);
    expect((await listBatchItems(table, { ...query, cursor })).items).toMatchObject([{ batchId: 'b-2' }]);
  });
});

import { BatchGetCommand, type DynamoDBDocumentClient, type QueryCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, test } from 'vitest';
import { listBatchItems } from '../../../shared/aws/batch-table.ts';

/** A Batches table of one completed batch, where a query for open ones never ends. */
function endlessTable() {
  const asked: QueryCommand['input'][] = [];
  const completed = {
    batchId: 'b-2',
    state: 'completed',
    kind: 'price',
    submittedAt: '2026-01-01T00:00:88.000Z',
  };
  const send = async (command: QueryCommand | BatchGetCommand) => {
    if (command instanceof BatchGetCommand) return { Responses: { Batches: [completed] } };
    const { input } = command;
    const state = input.ExpressionAttributeValues?.[':partition'];
    if (state === 'completed') return { Items: [{ batchId: 'b-2' }] };
    if (state !== 'submitted') return { Items: [] };
    asked.push(input);
    const submittedAt = `2026-01-01T00:00:${99 - asked.length}.000Z`;
    return { Items: [], LastEvaluatedKey: { batchId: 'b-1', state, submittedAt } };
  };
  return { asked, client: { send } as unknown as DynamoDBDocumentClient, tableName: 'Batches' };
}

describe('a page that needs too many reads', () => {
  const query = { kind: 'price', limit: 2 } as const;

  test('ends early, and the next page continues from there', async () => {
    const table = endlessTable();
    const { items, cursor } = await listBatchItems(table, { ...query, state: 'submitted' });
    expect(items).toEqual([]);
    expect(table.asked).toHaveLength(10);

    await listBatchItems(table, { ...query, state: 'submitted', cursor });
    expect(table.asked[10]?.ExclusiveStartKey).toBeUndefined();
    expect(table.asked[10]?.ExpressionAttributeValues).toMatchObject({
      ':to': '2026-01-01T00:00:89.000Z',
    });
  });

  test('leaves out batches of other states that are older than its end', async () => {
    const table = endlessTable();
    const { items, cursor } = await listBatchItems(table, query);
    expect(items).toEqual([]);
    expect((await listBatchItems(table, { ...query, cursor })).items).toMatchObject([{ batchId: 'b-2' }]);
  });
});

/** A table that returns the same items for every state. */
const tableOf = (Items: readonly object[]) => ({
  client: {
    send: async () => ({ Items, Responses: { Batches: Items } }),
  } as unknown as DynamoDBDocumentClient,
  tableName: 'Batches',
});

test('a batch that ends during the read is listed once', async () => {
  const table = tableOf([{ batchId: 'b-1', submittedAt: '2026-01-01T00:00:00.000Z' }]);
  expect((await listBatchItems(table, {})).items).toHaveLength(1);
});

test('a page holds at most 3 MB, and its cursor leads to the rest', async () => {
  const words = 'x'.repeat(1_000_000);
  const batches = [1, 2, 3, 4, 5].map((number) => ({
    batchId: `b-${number}`,
    submittedAt: `2026-01-01T00:00:0${9 - number}.000Z`,
    words,
  }));
  const table = tableOf(batches);
  const { items, cursor } = await listBatchItems(table, { limit: 100 });
  expect(items.map(({ batchId }) => batchId)).toEqual(['b-1', 'b-2']);
  expect(cursor).toBeDefined();
});

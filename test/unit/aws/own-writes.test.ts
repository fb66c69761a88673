import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { describe, expect, test } from 'vitest';
import { createLaneTable } from '../../../shared/aws/lane-table.ts';
import { versionedItems } from '../../../shared/aws/versioned-items.ts';

type Item = Record<string, unknown>;

/** A DynamoDB with one item, and a count whose changes usually follow each other in one process. */
function counted() {
  let item: Item | undefined;
  let reads = 0;
  const send = async ({ input }: { input: { Item?: Item; ExpressionAttributeValues?: Item } }) => {
    if (input.Item === undefined) {
      reads += 1;
      return { Item: item };
    }
    if (item?.revision !== input.ExpressionAttributeValues?.[':revision']) {
      throw new ConditionalCheckFailedException({ message: 'the condition failed', $metadata: {} });
    }
    item = input.Item;
    return {};
  };
  const open = () =>
    versionedItems({
      client: { send } as unknown as DynamoDBDocumentClient,
      tableName: 'table',
      isChangedNext: true,
      read: ({ count }) => ({ count: Number(count) }),
    });
  return { own: open(), other: open(), reads: () => reads };
}

const KEY = { name: 'n' };
const addOne = ({ count } = { count: 0 }) => ({ count: count + 1 });

describe('a change of an item that this process has written', () => {
  test('needs no read', async () => {
    const { own, reads } = counted();
    for (let round = 1; round <= 3; round += 1)
      expect(await own.update(KEY, addOne)).toEqual({ count: round });
    expect(reads()).toBe(1);
  });

  test('is applied to the newest item after the write of another process', async () => {
    const { own, other } = counted();
    await own.update(KEY, addOne);
    await other.update(KEY, addOne);
    expect(await own.update(KEY, addOne)).toEqual({ count: 3 });
  });

  test('is decided by the newest item when it changes nothing', async () => {
    const { own, other } = counted();
    await own.update(KEY, addOne);
    await other.update(KEY, addOne);
    const seen: unknown[] = [];
    const nothing = (current: { count: number } | undefined) => {
      seen.push(current?.count);
      return undefined;
    };
    expect(await own.update(KEY, nothing)).toEqual({ count: 2 });
    expect(seen).toEqual([1, 2]);
  });
});

test('a lane that is free is taken by one call', async () => {
  const calls: string[] = [];
  const lane = { storeClientId: 's-1', dirty: 3, leaseId: 'l-1', leaseUntil: 20 };
  const send = async (command: object) => {
    calls.push(command.constructor.name);
    return { Attributes: lane };
  };
  const lanes = createLaneTable({ send } as unknown as DynamoDBDocumentClient, 'lanes');
  expect(await lanes.acquire('s-1', { leaseId: 'l-1', now: 10, until: 20 })).toEqual(lane);
  expect(calls).toEqual(['UpdateCommand']);
});

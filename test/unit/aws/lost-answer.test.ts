import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { describe, expect, test } from 'vitest';
import { createLaneTable } from '../../../shared/aws/lane-table.ts';
import { createStoreTable } from '../../../shared/aws/store-table.ts';
import { versionedItems } from '../../../shared/aws/versioned-items.ts';

type Item = Record<string, unknown>;

const conditionFailed = () =>
  new ConditionalCheckFailedException({ message: 'the condition failed', $metadata: {} });

interface Table {
  item(): Item | undefined;
  readonly client: DynamoDBDocumentClient;
}

/**
 * A DynamoDB with one item. `meet` runs before the first write, whose condition then fails. That also happens to a
 * write that the SDK repeats because the answer to its first try was lost.
 */
function table(before: Item | undefined, meet: (current: Item | undefined, written: Item) => Item): Table {
  let item = before;
  let writes = 0;
  const send = async ({ input }: { input: { Item?: Item } }) => {
    if (input.Item === undefined) return { Item: item };
    writes += 1;
    if (writes > 1) item = input.Item;
    else {
      item = meet(item, input.Item);
      throw conditionFailed();
    }
    return {};
  };
  return { item: () => item, client: { send } as unknown as DynamoDBDocumentClient };
}

const addOne = ({ client }: Table) =>
  versionedItems({
    client,
    tableName: 'table',
    read: ({ count }) => ({ count: Number(count) }),
  }).update({ name: 'n' }, ({ count } = { count: 0 }) => ({ count: count + 1 }));

describe.each<[string, Item | undefined, number]>([
  ['a new item', undefined, 0],
  ['an existing item', { name: 'n', count: 4, revision: 7, writeId: 'w-1' }, 4],
])('a change of %s', (_, before, count) => {
  test('is made once when the answer to its write is lost', async () => {
    const lost = table(before, (_current, written) => written);
    expect(await addOne(lost)).toEqual({ count: count + 1 });
    expect(lost.item()).toMatchObject({ count: count + 1 });
  });

  test('is applied to the newest item after a concurrent write', async () => {
    const other = { name: 'n', count: 10, revision: 8, writeId: 'w-2' };
    const contended = table(before, () => other);
    expect(await addOne(contended)).toEqual({ count: 11 });
    expect(contended.item()).toMatchObject({ count: 11, revision: 9 });
  });
});

describe('a lease', () => {
  /** A DynamoDB with this lane whose updates fail their condition. */
  const lanes = (lane: Item) => {
    const send = async ({ input }: { input: { UpdateExpression?: string } }) => {
      if (input.UpdateExpression !== undefined) throw conditionFailed();
      return { Item: { storeClientId: 's-1', dirty: 0, ...lane } };
    };
    return createLaneTable({ send } as unknown as DynamoDBDocumentClient, 'lanes');
  };

  test.each([
    ['is held when the answer to its writer was lost', 'mine', true],
    ['is not held when it belongs to another', 'other', false],
  ])('%s', async (_, leaseId, isHeld) => {
    const held = lanes({ leaseId, leaseUntil: 20 });
    const lease = await held.acquire('s-1', { leaseId: 'mine', now: 10, until: 20 });
    expect(lease?.leaseId === 'mine').toBe(isHeld);
    expect(await held.extend('s-1', 'mine', 20)).toBe(isHeld);
  });
});

describe('a suspension', () => {
  const store = { storeClientId: 's-1', storeToken: 'token' };
  const event = {
    detailType: 'store.suspended',
    at: '2026-01-01T00:00:00.000Z',
    reason: 'AUTH_014',
  } as const;

  /** A DynamoDB with a suspended store and these events, whose updates fail their condition. */
  const stores = (unpublishedEvents: Item[]) => {
    const send = async ({ input }: { input: { UpdateExpression?: string } }) => {
      if (input.UpdateExpression !== undefined) throw conditionFailed();
      return {
        Item: {
          ...store,
          state: 'suspended',
          names: { products: 'sku', orders: 'orderId' },
          connectedAt: event.at,
          updatedAt: event.at,
          unpublishedEvents,
        },
      };
    };
    return createStoreTable({ send } as unknown as DynamoDBDocumentClient, 'stores');
  };

  test.each([
    ['is made when the answer to its writer was lost', [event], true],
    ['is not made when another writer made it', [{ ...event, requestId: 'r-2' }], false],
    ['is not made when no event is left to publish', [], false],
  ])('%s', async (_, unpublishedEvents, isMade) => {
    expect(await stores(unpublishedEvents).suspend(store, event)).toBe(isMade);
  });
});

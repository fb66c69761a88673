import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { describe, expect, test } from 'vitest';
import { createListingTable } from '../../../shared/aws/listing-table.ts';
import { createRejectionTable } from '../../../shared/aws/rejection-table.ts';

const TABLE = 'table';

interface Calls {
  /** The processed items of each call. */
  readonly done: string[][];
  readonly client: DynamoDBDocumentClient;
}

/** A DynamoDB that processes only the first `perCall` items of a batch, and answers 200 with the others. */
function hurriedDynamo(perCall: number): Calls {
  const done: string[][] = [];
  const take = <T>(items: readonly T[], nameOf: (item: T) => string) => {
    done.push(items.slice(0, perCall).map(nameOf));
    return [items.slice(0, perCall), items.slice(perCall)] as const;
  };
  const send = async ({ input }: { input: { RequestItems: { [TABLE]: Read | Write[] } } }) => {
    const asked = input.RequestItems[TABLE];
    if (Array.isArray(asked)) {
      const [, left] = take(asked, ({ PutRequest }) => PutRequest.Item.rejectionId);
      return { UnprocessedItems: left.length === 0 ? {} : { [TABLE]: left } };
    }
    const [read, left] = take(asked.Keys, ({ target }) => target);
    const Responses = { [TABLE]: read.map((key) => ({ ...listing, ...key, revision: 1 })) };
    return { Responses, UnprocessedKeys: left.length === 0 ? {} : { [TABLE]: { Keys: left } } };
  };
  return { done, client: { send } as unknown as DynamoDBDocumentClient };
}

type Read = { Keys: { target: string }[] };
type Write = { PutRequest: { Item: { rejectionId: string } } };

const listing = { versionKind: 'time', desired: {}, sent: {}, settled: {}, failures: 0 };
const names = (count: number) => Array.from({ length: count }, (_, index) => `sku:${index}`);
const rejections = (count: number) =>
  names(count).map((rejectionId) => ({
    storeClientId: 's-1',
    rejectionId,
    rejectedAt: '2026-01-01T00:00:00.000Z',
    code: 'ROW_INVALID',
    message: 'no',
  }));

describe('items of a batch that DynamoDB leaves unprocessed', () => {
  test('are read by further calls until all are read', async () => {
    const { client, done } = hurriedDynamo(2);
    const found = await createListingTable(client, { listingsTable: TABLE, waitingTable: 'waiting' }).getMany(
      's-1',
      names(5),
    );
    expect([...found.keys()]).toEqual(names(5));
    expect(done.map((call) => call.length)).toEqual([2, 2, 1]);
  });

  test('are written by further calls until all are written', async () => {
    const { client, done } = hurriedDynamo(10);
    await createRejectionTable(client, TABLE, 90).putAll(rejections(30));
    expect(new Set(done.flat())).toEqual(new Set(names(30)));
    expect(done.map((call) => call.length).toSorted((a, b) => a - b)).toEqual([5, 5, 10, 10]);
  });

  test('become a retryable error when no read makes progress', async () => {
    const { client } = hurriedDynamo(0);
    await expect(
      createListingTable(client, { listingsTable: TABLE, waitingTable: 'waiting' }).getMany('s-1', names(1)),
    ).rejects.toMatchObject({
      code: 'UNPROCESSED',
      retryable: true,
    });
  });

  test('become a retryable error when no write makes progress', async () => {
    const { client } = hurriedDynamo(0);
    await expect(createRejectionTable(client, TABLE, 90).putAll(rejections(1))).rejects.toMatchObject({
      code: 'UNPROCESSED',
      retryable: true,
    });
  });
});

import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { expect, test } from 'vitest';
import { createWaitingPageTable } from '../../../shared/aws/waiting-table.ts';

type Item = Record<string, unknown>;

/** A Waiting table that keeps what is put, and answers each query with all of it. */
function keepingTable() {
  const items: Item[] = [];
  const send = async ({
    input,
  }: {
    input: { RequestItems?: Record<string, { PutRequest: { Item: Item } }[]> };
  }) => {
    for (const { PutRequest } of input.RequestItems?.waiting ?? []) items.push(PutRequest.Item);
    return { Items: items };
  };
  return { items, table: createWaitingPageTable({ send } as unknown as DynamoDBDocumentClient, 'waiting') };
}

const page = (targets: string[]) => ({
  storeClientId: 'store-1',
  page: '3#001700000000000#0d5f3c1e-2c3a-4f0e-9d6b-1a2b3c4d0000',
  targets,
  since: 1_700_000_000_000,
  putAt: 1_700_000_000_000,
});
const range = { from: '0', to: '9', limit: 10 };

test('a page of 100 targets fits into 1 KB, up to which DynamoDB asks for one write unit', async () => {
  const { items, table } = keepingTable();
  const whole = page(Array.from({ length: 100 }, (_, index) => `sku:SKU-${1_000_000 + index}`));
  await table.putAll([whole]);
  const { packed, ...plain } = items[0] ?? {};
  expect(JSON.stringify(plain).length + (packed as Uint8Array).byteLength).toBeLessThan(1024);
  expect((await table.query('store-1', range)).pages).toEqual([whole]);
});

test('a page that an earlier version has put is read', async () => {
  const { items, table } = keepingTable();
  const earlier = page(Array.from({ length: 100 }, (_, index) => `sku:SKU-${index}`));
  items.push(earlier);
  expect((await table.query('store-1', range)).pages).toEqual([earlier]);
});

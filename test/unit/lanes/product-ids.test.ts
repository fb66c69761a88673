import { expect, test } from 'vitest';
import { laneWorld, type Reply, STORE } from './lane-world.ts';

const ID = '7C0E6A1C-0000-4000-8000-000000000001';

async function listingAfter(acceptedRows: Awaited<ReturnType<Reply>>['acceptedRows'] = []) {
  const { connect, change, push, ports } = laneWorld({ reply: () => ({ acceptedRows }) });
  await connect();
  await change('stock.changed', 1, [{ sku: 'A', stock: 5 }]);
  await push();
  return ports.listings.get(STORE, 'sku:A');
}

test('a product is known by the ID that the answer to its stock names, before it was ever read', async () => {
  const answered = { rowIndex: 0, target: 'product', id: ID, externalId: ID };
  expect(await listingAfter([answered])).toMatchObject({ productId: ID.toLowerCase() });
});

test.each([
  ['a variant, whose ID is not that of its product', { rowIndex: 0, target: 'variant', id: ID, sku: 'A' }],
  ['another product', { rowIndex: 0, target: 'product', id: ID, sku: 'B' }],
  ['no product of the request', { rowIndex: 7, target: 'product', id: ID }],
  ['an ID that no index can have', { rowIndex: 0, target: 'product', id: 'x'.repeat(201) }],
  ['no ID', { rowIndex: 0, target: 'product' }],
])('an answer that names %s gives a product no ID', async (_, row) => {
  const listing = await listingAfter([row]);
  expect(listing?.sent.stock?.value).toBe(5);
  expect(listing).not.toHaveProperty('productId');
});

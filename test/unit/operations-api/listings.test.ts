import { describe, expect, test } from 'vitest';
import { listingRoutes } from '../../../functions/operations-api/listings.ts';
import { readChangeMessage } from '../../../shared/changes/rules/read-changes.ts';
import { mergeChange } from '../../../shared/listings/rules/merge-change.ts';
import { recordingReads } from '../../../shared/listings/use-cases/recording-reads.ts';
import { inMemoryGuardTable } from '../../doubles/in-memory-guard-table.ts';
import { inMemoryListingTable } from '../../doubles/in-memory-listing-table.ts';
import { inMemoryStoreTable } from '../../doubles/in-memory-store-table.ts';
import { requestTo } from './request.ts';

const NOW = Date.UTC(2026, 10, 22, 8, 0, 0, 123);
const at = new Date(NOW).toISOString();
const storeClientId = 's-1';
const ID = 'aaaaaaaa-0000-4000-8000-00000000000a';
const clock = { now: () => NOW };

/** The routes over a connected store with two listings; also returns the messages in the changes queue. */
async function setUp() {
  const listings = inMemoryListingTable();
  for (const target of ['sku:A', `id:${ID}`]) {
    const change = { storeClientId, target, versionKind: 'integer', version: 1 } as const;
    await listings.update(storeClientId, target, (current) => {
      const merge = mergeChange(current, { ...change, values: { stock: 1 } }, NOW);
      return merge.result === 'changed' ? merge.listing : undefined;
    });
  }
  const stores = inMemoryStoreTable();
  const times = { connectedAt: at, updatedAt: at };
  await stores.put({
    storeClientId,
    storeToken: 't',
    state: 'connected',
    names: { products: 'sku', orders: 'orderId' },
    ...times,
  });
  const bodies: string[] = [];
  const answer = async () => ({ success: true as const, data: { id: 'p', sku: 'A', stock: 4 } });
  const shop = {
    getProduct: answer,
    getProductBySku: answer,
    listProducts: () => expect.unreachable(),
  };
  const routes = listingRoutes({
    stores,
    listings,
    guards: inMemoryGuardTable(),
    marketplace: recordingReads(shop, { listings, clock }),
    events: { publish: async () => undefined },
    changesQueue: { send: async (more) => void bodies.push(...more) },
    clock,
  });
  const call = (key: string, facts: Parameters<typeof requestTo>[1], store = storeClientId) => {
    const route = routes.find((one) => one.key.startsWith(key)) ?? expect.unreachable();
    return route.handle(requestTo(route.key, { pathParameters: { storeClientId: store }, ...facts }));
  };
  return { bodies, call };
}

test('the listings of a store are listed in pages, by their targets', async () => {
  const { call } = await setUp();
  const key = 'GET /stores/{storeClientId}/listings';
  const first = await call(key, { query: { limit: '1' } });
  expect(first.body).toMatchObject({
    listings: [{ target: `id:${ID}`, registers: { stock: { desired: { value: 1 } } } }],
    cursor: expect.any(String),
  });
  const { cursor } = first.body as { cursor: string };
  const second = await call(key, { query: { limit: '1', cursor } });
  expect(second.body).toMatchObject({ listings: [{ target: 'sku:A' }] });
  expect(second.body).not.toHaveProperty('cursor');
});

describe('changes sent to a route', () => {
  test.each([
    ['of now', {}, { versionKind: 'time', version: NOW }],
    ['of their own time', { occurredAt: NOW - 5 }, { versionKind: 'time', version: NOW - 5 }],
    ['of their own version', { version: 7 }, { versionKind: 'integer', version: 7 }],
  ])('are queued as an event with the ID of the request and values %s', async (_, facts, version) => {
    const { bodies, call } = await setUp();
    const body = { ...facts, items: [{ sku: 'A', stock: 2 }] };
    expect(await call('POST /stores/{storeClientId}/stock', { body })).toEqual({
      status: 202,
      body: { eventId: 'request-1', items: 1 },
    });
    const messages = bodies.map((text) => ({ body: text, messageId: 'm-1', sentAt: NOW + 2_000 }));
    expect(messages.map((message) => readChangeMessage(message))).toMatchObject([
      {
        rows: [{ event: { eventId: 'request-1' }, change: { storeClientId, target: 'sku:A', ...version } }],
        rejections: [],
      },
    ]);
  });
});

test('a SKU with characters that are not seen is taken by a route, with a warning', async () => {
  const { call } = await setUp();
  const items = [
    { sku: 'A', stock: 2 },
    { sku: 'A\u200b', stock: 2 },
    { sku: ' A', stock: 2 },
  ];
  const { body } = await call('POST /stores/{storeClientId}/stock', { body: { items } });
  expect(body).toMatchObject({
    items: 3,
    warnings: [{ code: 'SKU_WHITE_SPACE', rows: 2, numbers: [1, 2] }],
  });
});

test('changes with an unknown field are refused by a route, and nothing is queued', async () => {
  const { bodies, call } = await setUp();
  const body = { ocurredAt: NOW - 5, items: [{ sku: 'A', stock: 2 }] };
  await expect(call('POST /stores/{storeClientId}/stock', { body })).rejects.toMatchObject({
    status: 400,
    message: 'body: unknown "ocurredAt"; allowed: occurredAt, version, items',
  });
  expect(bodies).toEqual([]);
});

describe('a listing read by a route', () => {
  const KEY = 'GET /stores/{storeClientId}/listings';

  test('is returned as it is stored', async () => {
    const { call } = await setUp();
    const { body } = await call(KEY, { query: { target: 'sku:A' } });
    expect(body).toMatchObject({ target: 'sku:A' });
    expect(body).not.toHaveProperty('live');
  });

  test('is first read at the marketplace on request', async () => {
    const { call } = await setUp();
    const { body } = await call(KEY, { query: { target: 'sku:A', refresh: 'true' } });
    expect(body).toMatchObject({ live: { at, values: { stock: 4 } } });
  });

  test.each([undefined, 'true'])('is answered with 404 when it is missing, refresh %s', async (refresh) => {
    const { call } = await setUp();
    const query = { target: 'sku:B', refresh };
    await expect(call(KEY, { query })).rejects.toMatchObject({ status: 404, code: 'LISTING_UNKNOWN' });
  });

  test('finds the listing of an ID in any case', async () => {
    const { call } = await setUp();
    const read = await call(KEY, { query: { target: `id:${ID.toUpperCase()}` } });
    expect(read).toMatchObject({ status: 200, body: { target: `id:${ID}` } });
  });

  test('may have a SKU that ends with a colon', async () => {
    const { call } = await setUp();
    const read = call(KEY, { query: { target: 'sku:A:' } });
    await expect(read).rejects.toMatchObject({ status: 404, code: 'LISTING_UNKNOWN' });
  });

  test.each(['sku:', 'A', ''])('is answered with 400 for the target "%s"', async (target) => {
    const { call } = await setUp();
    await expect(call(KEY, { query: { target } })).rejects.toMatchObject({ status: 400 });
  });

  test.each([undefined, 'true'])('is answered with 404 in an unknown store, refresh %s', async (refresh) => {
    const { call } = await setUp();
    const read = call(KEY, { query: { target: 'sku:A', refresh } }, 'other');
    await expect(read).rejects.toMatchObject({ status: 404, code: 'STORE_UNKNOWN' });
  });
});

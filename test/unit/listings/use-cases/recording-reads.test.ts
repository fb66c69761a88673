import { beforeEach, expect, test } from 'vitest';
import { mergeChange } from '../../../../shared/listings/rules/merge-change.ts';
import { refreshListing } from '../../../../shared/listings/use-cases/read-listing.ts';
import { recordingReads } from '../../../../shared/listings/use-cases/recording-reads.ts';
import { MarketplaceError } from '../../../../shared/marketplace/errors.ts';
import type { Product } from '../../../../shared/marketplace/products.ts';
import { inMemoryListingTable } from '../../../doubles/in-memory-listing-table.ts';

const store = { storeClientId: 'store', storeToken: 'token' };
const id = '00000000-0000-4000-8000-000000000001';
const pagination = { page: 1, limit: 50, total: 1, totalPages: 1, hasNext: false, hasPrev: false };

let now: number;
let listings: ReturnType<typeof inMemoryListingTable>;
let products: Product[];

/** Answers with `products`, a second after the request. */
const reads = () => {
  const answer = <Data>(data: Data | undefined) => {
    now += 1000;
    if (data !== undefined) return Promise.resolve({ success: true as const, data });
    const refusal = { code: 'PRD_014', message: 'not found', outcome: 'refused', retryable: false } as const;
    return Promise.reject(new MarketplaceError(refusal));
  };
  return recordingReads(
    {
      getProduct: (_, { productId }) => answer(products.find((one) => one.id === productId)),
      getProductBySku: (_, { sku }) => answer(products.find((one) => one.sku === sku)),
      listProducts: async (_: unknown) => ({ ...(await answer(products)), pagination }),
    },
    { listings, clock: { now: () => now } },
  );
};

const give = (target: string, values: Record<string, number>) =>
  listings.update(store.storeClientId, target, (current) => {
    const change = { storeClientId: 'store', target, versionKind: 'integer', version: 1, values } as const;
    const merge = mergeChange(current, change, now);
    return merge.result === 'changed' ? merge.listing : undefined;
  });

const liveOf = async (target: string) => (await listings.get(store.storeClientId, target))?.live;

beforeEach(() => {
  now = Date.UTC(2026, 0, 1);
  listings = inMemoryListingTable();
  products = [{ id, sku: 'A', price: 900, stock: 5 }];
});

test('a read is recorded in the listings of the product, with the time of its request', async () => {
  await give('sku:A', { stock: 1 });
  await give(`id:${id}`, { stock: 2 });
  await reads().getProduct(store, { productId: id });
  const live = {
    at: '2026-01-01T00:00:00.000Z',
    values: { price: 900, specialPrice: null, stock: 5 },
    productId: id,
  };
  expect(await liveOf('sku:A')).toEqual(live);
  expect(await liveOf(`id:${id}`)).toEqual(live);
});

test('a list is recorded for each of its products and creates no listings', async () => {
  products.push({ id: 'other', sku: 'B', price: 1 });
  await give('sku:A', { stock: 1 });
  await reads().listProducts(store);
  expect((await liveOf('sku:A'))?.values).toMatchObject({ price: 900 });
  expect(await listings.get(store.storeClientId, 'sku:B')).toBeUndefined();
});

test('a read changes only the live values and the product ID: waiting values keep waiting', async () => {
  const before = await give('sku:A', { stock: 1 });
  await reads().getProductBySku(store, { sku: 'A' });
  const { live: _, productId: __, ...after } = (await listings.get(store.storeClientId, 'sku:A')) ?? {};
  expect(after).toEqual(before);
});

test('a missing product is recorded and reported to the caller', async () => {
  await give('sku:gone', { stock: 1 });
  await expect(reads().getProductBySku(store, { sku: 'gone' })).rejects.toMatchObject({ code: 'PRD_014' });
  expect(await liveOf('sku:gone')).toEqual({ at: '2026-01-01T00:00:00.000Z', values: {}, missing: true });
});

const refresh = (target: string) => refreshListing({ listings, marketplace: reads() }, store, target, {});

test('a listing is read by its own name, also when its product is gone', async () => {
  await give('sku:A', { stock: 1 });
  await give(`id:${id}`, { stock: 1 });
  expect(await refresh('sku:A')).toMatchObject({ live: { values: { stock: 5 } } });
  expect(await refresh(`id:${id}`)).toMatchObject({ live: { values: { stock: 5 } } });
  products = [];
  expect(await refresh('sku:A')).toMatchObject({ live: { missing: true } });
});

test('a listing by externalId can not be read', async () => {
  await give('externalId:E', { stock: 1 });
  await expect(refresh('externalId:E')).rejects.toMatchObject({
    code: 'LISTING_NOT_READABLE',
    message: expect.stringContaining('externalId:E'),
  });
});

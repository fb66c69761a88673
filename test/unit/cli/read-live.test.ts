import { expect, test } from 'vitest';
import type { ApiClient } from '../../../cli/clients/api-client.ts';
import { ApiError } from '../../../cli/errors.ts';
import { readLive } from '../../../cli/events/find-traces.ts';

const failed = (code: string) => new ApiError(code, { status: 404, code });

/** The API of a stack with these stores, and how the read of a product in each of them ends. */
function apiWith(reads: Readonly<Record<string, Error | undefined>>) {
  const stores = Object.keys(reads).map((storeClientId) => ({
    storeClientId,
    state: 'connected',
    names: { products: 'sku', orders: 'orderId' },
    connectedAt: '2026-11-22T08:00:00.000Z',
    updatedAt: '2026-11-22T08:00:00.000Z',
  }));
  const call: ApiClient['call'] = async (schema) => schema.parse({ stores });
  const text = async (_: string, [, store = '']: readonly string[]) => {
    const error = reads[store];
    if (error !== undefined) throw error;
    return '{}';
  };
  return { call, text } as ApiClient;
}

test('a product is read at the marketplace in the stores that list it', async () => {
  const api = apiWith({ a: failed('LISTING_UNKNOWN'), b: undefined, c: failed('STORE_NOT_CONNECTED') });
  expect(await readLive(api, 'sku:A', undefined)).toBe(1);
});

test('that no store lists a product is no failure, and says that nothing was read', async () => {
  const api = apiWith({ a: failed('LISTING_UNKNOWN'), b: failed('STORE_NOT_CONNECTED') });
  expect(await readLive(api, 'sku:A', undefined)).toBe(0);
});

test('a product that could be read in no store is not said to be read', async () => {
  const api = apiWith({ a: failed('LISTING_UNKNOWN'), b: failed('SYS_DEP_503') });
  await expect(readLive(api, 'sku:A', undefined)).rejects.toMatchObject({ code: 'SYS_DEP_503' });
  await expect(readLive(api, 'sku:A', 'a')).rejects.toMatchObject({ code: 'LISTING_UNKNOWN' });
});

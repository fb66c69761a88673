import { describe, expect, test } from 'vitest';
import { catalogRoutes } from '../../../functions/operations-api/catalog.ts';
import { requestTo } from './request.ts';

/** Sends products to the route of §4.5; returns the messages that are queued for them. */
async function give(products: readonly unknown[]) {
  const sent: string[] = [];
  const routes = catalogRoutes({
    stores: { get: async (storeClientId) => ({ storeClientId, state: 'connected' }) as never },
    productCommands: { send: async (bodies) => void sent.push(...bodies) },
    clock: { now: () => 0 },
  });
  const route = routes.find(({ key }) => key.endsWith('/products/bulk')) ?? expect.unreachable();
  const answer = await route.handle(
    requestTo(route.key, { pathParameters: { storeClientId: 's-1' }, body: { products } }),
  );
  expect(answer).toMatchObject({ status: 202, body: { commandId: 'request-1', products: products.length } });
  return sent.map((body) => JSON.parse(body));
}

describe('products sent to a route', () => {
  test('are queued as one command, invalid ones included, which are checked later', async () => {
    expect(await give([{ sku: 'a' }, null])).toMatchObject([
      {
        'detail-type': 'product.create.requested',
        detail: { storeClientId: 's-1', commandId: 'request-1', products: [{ sku: 'a' }, null] },
      },
    ]);
  });
});

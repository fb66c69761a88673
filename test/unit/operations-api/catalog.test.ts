import { describe, expect, test } from 'vitest';
import { catalogRoutes } from '../../../functions/operations-api/catalog.ts';
import { MAX_PRODUCT_BYTES } from '../../../shared/products/model.ts';
import { requestTo } from './request.ts';

/** Gives products by the route of §4.5, with at most three products per request; tells which queue got how many. */
async function give(products: readonly unknown[]) {
  const sent = { bulk: [] as string[], product: [] as string[] };
  const queue = (bodies: string[]) => ({
    send: async (more: readonly string[]) => void bodies.push(...more),
  });
  const routes = catalogRoutes({
    stores: { get: async (storeClientId) => ({ storeClientId, state: 'connected' }) as never },
    bulkCommands: queue(sent.bulk),
    productCommands: queue(sent.product),
    itemsPerRequest: 3,
    clock: { now: () => 0 },
  });
  const route = routes.find(({ key }) => key.endsWith('/products/bulk')) ?? expect.unreachable();
  const answer = await route.handle(
    requestTo(route.key, { pathParameters: { storeClientId: 's-1' }, body: { products } }),
  );
  expect(answer.status).toBe(202);
  return sent;
}

describe('products by route', () => {
  test('that would leave room in a request are packed together with others', async () => {
    const { bulk, product } = await give([{ sku: 'a' }, { sku: 'b' }]);
    expect(product).toEqual([]);
    expect(bulk.map((body) => JSON.parse(body))).toMatchObject([
      { 'detail-type': 'product.create.requested', detail: { products: [{ sku: 'a' }, { sku: 'b' }] } },
    ]);
  });

  test('are checked one by one later, what is no product as well', async () => {
    const { bulk } = await give([{ sku: 'a' }, null]);
    expect(bulk.map((body) => JSON.parse(body).detail.products)).toEqual([[{ sku: 'a' }, null]]);
  });

  test.each([
    ['as many as a request takes', [{ sku: 'a' }, { sku: 'b' }, { sku: 'c' }]],
    ['as large as a request may be', [{ sku: 'a', description: 'x'.repeat(MAX_PRODUCT_BYTES) }]],
  ])('that are %s go straight on', async (_, products) => {
    const { bulk, product } = await give(products);
    expect(bulk).toEqual([]);
    expect(product).toHaveLength(1);
  });
});

import { describe, expect, test } from 'vitest';
import { productChangeRoutes } from '../../../functions/operations-api/product-changes.ts';
import { answer, cut, NOW, productId, setUp, store } from '../products/update-setup.ts';
import { fail } from '../support/failure.ts';
import { requestTo } from './request.ts';

function setUpRoute(...given: Parameters<typeof setUp>) {
  const setup = setUp(...given);
  const routes = productChangeRoutes({
    ...setup.ports,
    itemsPerRequest: 100,
    batchDeadlineMs: 900_000,
  } as never);
  const route = routes.find(({ key }) => key.startsWith('PATCH')) ?? expect.unreachable();
  const patch = (body: object, over: { requestId?: string; query?: Record<string, string> } = {}) =>
    route.handle(
      requestTo(route.key, { pathParameters: { storeClientId: 's-1', productId }, body, ...over }),
    );
  return { ...setup, patch };
}

describe('an update by route', () => {
  test('is answered by the marketplace, and its price and stock change the listing', async () => {
    const { patch, sent, changes } = setUpRoute();
    expect(await patch({ name: 'New', price: 5 }, { query: { version: '7' } })).toEqual({
      status: 200,
      body: answer,
    });
    expect(sent()).toEqual([{ name: 'New' }]);
    expect(changes).toMatchObject([{ commandId: 'request-1', version: 7, prices: [{ sku: 'A', price: 5 }] }]);
  });

  test('with price and stock only is queued', async () => {
    const { patch, changes } = setUpRoute();
    expect(await patch({ stock: 0 })).toMatchObject({ status: 202, body: { data: { id: productId } } });
    expect(changes).toMatchObject([{ time: NOW, stocks: [{ sku: 'A', stock: 0 }] }]);
  });

  test.each(['', ' ', '-1', '1.5', 'x'])('with the version "%s" is refused', async (version) => {
    const { patch, changes } = setUpRoute();
    await expect(patch({ price: 5 }, { query: { version } })).rejects.toMatchObject({ status: 400 });
    expect(changes).toEqual([]);
  });

  test.each([
    ['VAL_001', 400],
    ['PRD_014', 404],
  ])('that is refused with %s is answered with %d and changes no price or stock', async (code, status) => {
    const { patch, changes } = setUpRoute([fail({ code, requestId: 'r-1' })]);
    const details = { marketplace: { outcome: 'refused', requestId: 'r-1' } };
    await expect(patch({ name: 'New', stock: 0 })).rejects.toMatchObject({ status, code, details });
    expect(changes).toEqual([]);
  });

  test('that does not fit the product is refused with the reason', async () => {
    const { patch } = setUpRoute([], { hasVariant: true });
    await expect(patch({ price: 5 })).rejects.toMatchObject({ status: 400, code: 'REQUEST_INVALID' });
  });

  test('is refused while another one may still land, and changes nothing', async () => {
    const { patch, changes, time } = setUpRoute([
      fail({ code: 'TIMEOUT', outcome: 'unknown' }),
      cut,
      cut,
      cut,
      cut,
      cut,
    ]);
    await expect(patch({ name: 'A' })).rejects.toMatchObject({ status: 504 });
    await expect(patch({ name: 'B', stock: 1 }, { requestId: 'r-2' })).rejects.toMatchObject({
      status: 409,
      code: 'PRODUCT_BUSY',
    });
    expect(changes).toEqual([]);
    time.now += 30_000;
    expect(await patch({ name: 'B' }, { requestId: 'r-3' })).toMatchObject({ status: 200 });
  });

  test('is refused when a command with a later time has set all its fields', async () => {
    const { patch, update, at, sent } = setUpRoute();
    await update('later', { name: 'B' }, at(4));
    await expect(patch({ name: 'A' })).rejects.toMatchObject({ status: 409, code: 'OVERTAKEN' });
    expect(await patch({ name: 'A', weight: 1 }, { requestId: 'r-2' })).toMatchObject({ status: 200 });
    expect(sent()).toEqual([{ name: 'B' }, { weight: 1 }]);
  });

  test('replaces values of a command dated far ahead', async () => {
    const { patch, update, at, sent } = setUpRoute();
    await update('far', { name: 'Far' }, at(60 * 24 * 365));
    expect(await patch({ name: 'Now' })).toMatchObject({ status: 200 });
    expect(sent()).toEqual([{ name: 'Now' }]);
  });

  test('needs a known and connected store', async () => {
    const { patch, stores } = setUpRoute();
    stores.set('s-1', { ...store, state: 'suspended' });
    await expect(patch({ name: 'A' })).rejects.toMatchObject({ status: 409, code: 'STORE_NOT_CONNECTED' });
    stores.clear();
    await expect(patch({ name: 'A' })).rejects.toMatchObject({ status: 404, code: 'STORE_UNKNOWN' });
  });
});

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { skuOf } from '../../local/run/catalog.ts';
import type { ConnectorRun } from '../../local/run/connector-run.ts';
import { startQuickRun } from '../../local/run/quick-run.ts';
import { until } from '../../local/run/until.ts';
import { importProducts } from './support/import-products.ts';

let run: ConnectorRun;

beforeAll(async () => {
  run = await startQuickRun();
  await importProducts(run, 'store-0wh', 2);
});

afterAll(async () => {
  await run?.[Symbol.asyncDispose]();
});

interface Rejection {
  readonly code: string;
  readonly field?: string;
  readonly rowIndex?: number;
  readonly message: string;
}

const rejectionOf = (storeClientId: string, code: string, field?: string): Promise<Rejection> =>
  until(`a rejection ${code} of ${storeClientId}`, async () => {
    const path = `/stores/${encodeURIComponent(storeClientId)}/rejections?limit=500`;
    const { body } = await run.partner.callApi('GET', path);
    return body.rejections.find(
      (rejection: Rejection) => rejection.code === code && (field === undefined || rejection.field === field),
    );
  });
const stock = (items: unknown[], more: object = {}) => ({
  detailType: 'stock.changed',
  detail: { storeClientId: 'store-0wh', items, ...more },
});

describe('an invalid event', () => {
  test('is rejected for an unknown detail-type', async () => {
    await run.partner.putEvents([{ detailType: 'stock.vanished', detail: { storeClientId: 'store-0wh' } }]);
    const rejection = await rejectionOf('store-0wh', 'DETAIL_TYPE_UNKNOWN');
    expect(rejection.message).toContain('stock.vanished');
  });

  test('is rejected when its queue message is not JSON', async () => {
    await run.partner.sendChanges(['{not json']);
    expect((await rejectionOf('-', 'EVENT_INVALID')).message).toContain('not JSON');
  });

  test('is rejected with the name of a missing field', async () => {
    await run.partner.putEvents([{ detailType: 'stock.changed', detail: { storeClientId: 'store-0wh' } }]);
    await rejectionOf('store-0wh', 'EVENT_INVALID', 'detail.items');
  });

  test('is rejected when its store is not connected', async () => {
    await run.partner.putEvents([
      {
        detailType: 'stock.changed',
        detail: { storeClientId: 'store-nowhere', items: [{ sku: 'A', stock: 1 }] },
      },
    ]);
    await rejectionOf('store-nowhere', 'STORE_UNKNOWN');
  });

  test('loses only its invalid rows', async () => {
    await run.partner.putEvents([
      stock([
        { sku: skuOf(1), stock: 1.5 },
        { sku: skuOf(2), stock: -3 },
        { sku: skuOf(1), stock: 23 },
        { sku: 'A', id: '10000000-0000-4000-8000-000000000001', stock: 1 },
        'nonsense',
      ]),
    ]);
    await until('the good row at the marketplace', async () => {
      const state = await run.controls?.products('store-0wh');
      return state?.products[0]?.stock === 23 && state.products[1]?.stock === 0;
    });
    const broken = await rejectionOf('store-0wh', 'ROW_INVALID', 'detail.items.0.stock');
    expect(broken.rowIndex).toBe(0);
    const path = `/stores/store-0wh/listings?target=${encodeURIComponent(`sku:${skuOf(2)}`)}`;
    const { body } = await run.partner.callApi('GET', path);
    expect(body.registers.stock.desired).toMatchObject({ value: 0, given: -3 });
    const twice = await rejectionOf('store-0wh', 'ROW_INVALID', 'detail.items.3.id');
    expect(twice.message).toContain('exactly one of');
    await rejectionOf('store-0wh', 'ROW_INVALID', 'detail.items.4');
  });

  test('loses only the rows that a listing can not hold', async () => {
    const warehouses = (count: number, name: (number: number) => string) =>
      Array.from({ length: count }, (_, number) => ({ clientId: name(number), stock: 1 }));
    await run.partner.putEvents([
      stock([
        { sku: 'x'.repeat(1021), stock: 1 },
        { sku: 'A', warehouses: warehouses(1, () => 'w'.repeat(101)) },
        { sku: 'A', warehouses: warehouses(501, (number) => `wh-${number}`) },
        { sku: skuOf(1), stock: 29 },
      ]),
      {
        detailType: 'price.changed',
        detail: {
          storeClientId: 'store-0wh',
          items: [
            { sku: 'A', price: 1e200 },
            { sku: 'A', price: 1e-200 },
            { sku: skuOf(1), price: 29 },
          ],
        },
      },
    ]);
    await until('the good rows at the marketplace', async () => {
      const [product] = (await run.controls?.products('store-0wh'))?.products ?? [];
      return product?.stock === 29 && product.price === 29;
    });
    await rejectionOf('store-0wh', 'ROW_INVALID', 'detail.items.0.sku');
    await rejectionOf('store-0wh', 'ROW_INVALID', 'detail.items.1.warehouses');
    expect((await rejectionOf('store-0wh', 'TOO_MANY_WAREHOUSES')).rowIndex).toBe(2);
    await rejectionOf('store-0wh', 'ROW_INVALID', 'detail.items.0.price');
    await rejectionOf('store-0wh', 'ROW_INVALID', 'detail.items.1.price');
  });

  test('is rejected when its time is more than five minutes ahead', async () => {
    await run.partner.putEvents([
      stock([{ sku: skuOf(1), stock: 99 }], { occurredAt: Date.now() + 600_000 }),
    ]);
    await rejectionOf('store-0wh', 'VERSION_FUTURE', 'detail.occurredAt');
    expect((await run.controls?.products('store-0wh'))?.products[0]?.stock).not.toBe(99);
  });

  test('is rejected when its listing uses the other kind of version', async () => {
    await run.partner.putEvents([stock([{ sku: skuOf(1), stock: 24 }])]);
    await run.local.idle();
    await run.partner.putEvents([stock([{ sku: skuOf(1), stock: 25 }], { version: 7 })]);
    await rejectionOf('store-0wh', 'VERSION_KIND');
  });

  test('never ends in a dead-letter queue', async () => {
    await run.local.idle();
    expect(await run.partner.deadLetters()).toEqual([]);
  });
});

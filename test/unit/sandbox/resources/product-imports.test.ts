import { describe, expect, it } from 'vitest';
import { externalId, shirt, useSandbox } from '../sandbox.ts';

const sandbox = useSandbox();
const SYNC = 'POST /partner/stores/catalog/sync';

async function importInto(store: string, products: unknown[], line = SYNC) {
  const { status, json } = await sandbox.call(line, { store, body: { products } });
  expect(status).toBe(200);
  await sandbox.idle();
  return json;
}

describe('the answer', () => {
  it.each([
    SYNC,
    'POST /partner/stores/catalog/variants/sync',
    'POST /partner/stores/products/bulk',
    'POST /partner/stores/products/with-variants/bulk',
  ])('has the shape of §4.5 at %s', async (line) => {
    const good = line.includes('variants') ? shirt(1, 'A') : { externalId: externalId(1), sku: 'A' };
    const json = await importInto('store-0wh', [good, { externalId: 'no-uuid' }], line);
    expect(json.meta.dispatch).toBe(true);
    expect(json.data).toMatchObject({
      batchId: expect.any(String),
      summary: { total: 2, failed: 1, pending: 1 },
      acceptedRows: [{ rowIndex: 0, externalId: externalId(1) }],
      errors: [{ code: 'VAL_001', rowIndex: 1, externalId: 'no-uuid', details: { retryable: false } }],
    });
    expect(json.data.errors[0].details.context).toMatchObject({
      reason: 'INVALID_ROW',
      validationErrors: { externalId: expect.any(String) },
    });
  });

  it.each([{}, { products: [] }, { products: 'all' }])('is VAL_001 for the body %j', async (body) => {
    const { status, json } = await sandbox.call(SYNC, { body });
    expect([status, json.error.code]).toEqual([400, 'VAL_001']);
    expect(json.error.details.context.validationErrors).toHaveProperty('products');
  });

  it('is VAL_001 for a body that is no JSON', async () => {
    const { json } = await sandbox.call(SYNC);
    expect(json.error.code).toBe('VAL_001');
    expect(json.error.details.context.validationErrors).toEqual({ body: 'must be JSON' });
  });
});

describe('creation only', () => {
  it('refuses an external ID that the store has, with PRD_002', async () => {
    await sandbox.seed('store-0wh', { externalId: externalId(1), name: 'first' });
    const json = await importInto('store-0wh', [{ externalId: externalId(1), sku: 'A', name: 'second' }]);
    expect(json.data.errors).toMatchObject([
      { code: 'PRD_002', rowIndex: 0, externalId: externalId(1), sku: 'A', details: { retryable: false } },
    ]);
    expect(await sandbox.live('store-0wh')).toMatchObject([{ name: 'first' }]);
  });

  it('creates one of two products with one external ID that wait together', async () => {
    await importInto('store-0wh', [
      { externalId: externalId(1), name: 'first' },
      { externalId: externalId(1), name: 'second' },
    ]);
    expect(await sandbox.live('store-0wh')).toMatchObject([{ name: 'first' }]);
  });

  it('lets two stores have the same external ID', async () => {
    await importInto('store-0wh', [{ externalId: externalId(1) }]);
    const json = await importInto('store-1wh', [{ externalId: externalId(1) }]);
    expect(json.data.summary.failed).toBe(0);
  });
});

describe('a product', () => {
  it('keeps what it was created with', async () => {
    const product = {
      externalId: externalId(1),
      name: 'Kopi',
      sku: 'KOPI',
      price: 10,
      specialPrice: 8,
      stock: 4,
      dimensions: { length: 1, width: 2, height: 3 },
      photos: ['https://example.com/a.jpg'],
      condition: 'NEW',
    };
    const [live] = await sandbox.seed('store-0wh', product);
    expect(live).toMatchObject({ ...product, hasVariant: false });
    expect(live.history).toMatchObject({
      price: [{ price: 10, specialPrice: 8 }],
      stock: [{ clientId: null, stock: 4 }],
    });
  });

  it('with variants is refused by the simple endpoint, and one without by the variant endpoint', async () => {
    const simple = await importInto('store-0wh', [shirt(1, 'A')]);
    expect(simple.data.errors[0].details.context.reason).toBe('VARIANTS_NOT_ALLOWED');
    const variant = await importInto('store-0wh', [{}], 'POST /partner/stores/catalog/variants/sync');
    expect(variant.data.errors[0].details.context.reason).toBe('VARIANTS_MISSING');
  });
});

describe('stock by warehouse mode', () => {
  const stocks = async (store: string) => {
    const [live] = await sandbox.live(store);
    return { stock: live.stock, warehouses: live.warehouses };
  };
  const refusal = async (store: string, product: unknown) => {
    const { data } = await importInto(store, [product]);
    return data.errors[0]?.details.context.reason;
  };

  it('is the listing’s own without warehouses', async () => {
    await importInto('store-0wh', [{ stock: 5 }]);
    expect(await stocks('store-0wh')).toEqual({ stock: 5, warehouses: [] });
  });

  it('is translated into the one warehouse', async () => {
    await importInto('store-1wh', [{ stock: 5 }]);
    expect(await stocks('store-1wh')).toEqual({ stock: 5, warehouses: [{ clientId: 'wh-1', stock: 5 }] });
  });

  it('gives each of several warehouses the full value', async () => {
    await importInto('store-2wh', [{ stock: 5 }]);
    const warehouses = [
      { clientId: 'wh-1', stock: 5 },
      { clientId: 'wh-2', stock: 5 },
    ];
    expect(await stocks('store-2wh')).toEqual({ stock: 10, warehouses });
  });

  it('applies warehouses to the listed ones only', async () => {
    await importInto('store-2wh', [{ warehouses: [{ clientId: 'wh-2', stock: 3 }] }]);
    const warehouses = [
      { clientId: 'wh-1', stock: 0 },
      { clientId: 'wh-2', stock: 3 },
    ];
    expect(await stocks('store-2wh')).toEqual({ stock: 3, warehouses });
  });

  it('refuses stock beside warehouses, unknown and empty warehouses, and any where there are none', async () => {
    const warehouses = [{ clientId: 'wh-1', stock: 1 }];
    expect(await refusal('store-1wh', { stock: 1, warehouses })).toBe('STOCK_AND_WAREHOUSES');
    expect(await refusal('store-1wh', { warehouses: [{ clientId: 'wh-9', stock: 1 }] })).toBe(
      'WAREHOUSE_NOT_FOUND',
    );
    expect(await refusal('store-1wh', { warehouses: [] })).toBe('WAREHOUSES_EMPTY');
    expect(await refusal('store-0wh', { warehouses })).toBe('WAREHOUSES_NOT_ALLOWED');
    expect(await refusal('store-1wh', { warehouses: [{ clientId: 'wh-1' }] })).toBe('INVALID_ROW');
  });
});

describe('variants', () => {
  const syncVariants = (store: string, product: unknown) =>
    importInto(store, [product], 'POST /partner/stores/catalog/variants/sync');

  it('are named by their options and keep their own price and stock', async () => {
    await syncVariants(
      'store-2wh',
      shirt(1, 'A', [{ stock: 2 }, { warehouses: [{ clientId: 'wh-1', stock: 7 }] }]),
    );
    const [live] = await sandbox.live('store-2wh');
    expect(live).toMatchObject({ sku: null, hasVariant: true, price: 100, stock: 11, warehouses: [] });
    expect(live.variants.items).toMatchObject([
      { sku: 'A-S', name: 'S', price: 100, stock: 4, isActive: true, optionIndexes: [0] },
      { sku: 'A-M', name: 'M', price: 101, stock: 7, isActive: true, optionIndexes: [1] },
    ]);
    expect(live.variants.items[1].warehouses).toMatchObject([
      { clientId: 'wh-1', stock: 7, isActive: true },
      { clientId: 'wh-2', stock: 0, isActive: true },
    ]);
  });

  it('may have stock in a store without warehouses, but no warehouses', async () => {
    expect((await syncVariants('store-0wh', shirt(1, 'A', [{ stock: 2 }]))).data.errors).toEqual([]);
    const warehouses = [{ clientId: 'wh-1', stock: 1 }];
    const { data } = await syncVariants('store-0wh', shirt(2, 'B', [{ warehouses }]));
    expect(data.errors[0].details.context).toMatchObject({
      reason: 'WAREHOUSES_NOT_ALLOWED',
      validationErrors: { 'variants.items.0.warehouses': expect.any(String) },
    });
  });

  it.each([[[]], [[0, 0]], [[2]]])('are refused with the option indexes %j', async (optionIndexes) => {
    const { data } = await syncVariants('store-0wh', shirt(1, 'A', [{ optionIndexes }]));
    expect(data.errors[0].details.context.reason).toBe('OPTION_INDEXES');
  });

  it.each(['price', 'specialPrice', 'stock', 'sku', 'warehouses'])(
    'forbid %s on the product',
    async (field) => {
      const values: Record<string, unknown> = { sku: 'X', warehouses: [] };
      const { data } = await syncVariants('store-1wh', { ...shirt(1, 'A'), [field]: values[field] ?? 1 });
      expect(data.errors[0].details.context).toMatchObject({
        reason: 'PRODUCT_HAS_VARIANTS',
        validationErrors: { [field]: expect.any(String) },
      });
    },
  );
});

import { describe, expect, it } from 'vitest';
import { externalId, shirt, useSandbox } from '../sandbox.ts';

const sandbox = useSandbox();

async function update(store: string, ...items: unknown[]) {
  const { status, json } = await sandbox.call('PATCH /partner/stores/inventory', { store, body: { items } });
  expect(status).toBe(200);
  await sandbox.idle();
  return json;
}

const OTHER_CASE = 'ABCDEFAB-0000-4000-8000-00000000000a';
const PRODUCT = { externalId: externalId(1), sku: 'A', stock: 1 };

describe('the target', () => {
  it('is named by sku, id or external ID', async () => {
    const [{ id }] = await sandbox.seed('store-0wh', PRODUCT);
    const json = await update(
      'store-0wh',
      { sku: 'A', stock: 2 },
      { id, stock: 3 },
      { externalId: externalId(1), stock: 4 },
    );
    const accepted = { target: 'product', id, externalId: externalId(1) };
    expect(json.data).toMatchObject({
      summary: { total: 3, failed: 0, pending: 3 },
      acceptedRows: [0, 1, 2].map((rowIndex) => ({ rowIndex, ...accepted })),
    });
    const [live] = await sandbox.live('store-0wh');
    expect(live.history.stock.map((record: { stock: number }) => record.stock)).toEqual([1, 2, 3, 4]);
  });

  it('may be named by a UUID in another case', async () => {
    const [{ id, externalId: own }] = await sandbox.seed('store-0wh', { ...PRODUCT, externalId: OTHER_CASE });
    const items = [id.toUpperCase(), own.toLowerCase(), own.toUpperCase()];
    const json = await update(
      'store-0wh',
      { id: items[0], stock: 2 },
      { externalId: items[1], stock: 3 },
      { externalId: items[2], stock: 4 },
    );
    expect(json.data.summary).toEqual({ total: 3, failed: 0, pending: 3 });
  });

  it('is a variant where the sku is one’s', async () => {
    const [product] = await sandbox.seed('store-0wh', shirt(1, 'A'));
    const json = await update('store-0wh', { sku: 'A-M', stock: 9 });
    const id = product.variants.items[1].id;
    const row = { rowIndex: 0, target: 'variant', id, externalId: externalId(1), sku: 'A-M' };
    expect(json.data.acceptedRows).toEqual([row]);
    expect((await sandbox.live('store-0wh'))[0]).toMatchObject({ stock: 9 });
  });

  it('gives INV_001 for an unknown sku and INV_002 for an unknown id or external ID, by row', async () => {
    await sandbox.seed('store-0wh', PRODUCT);
    const json = await update(
      'store-0wh',
      { sku: 'nope', stock: 1 },
      { sku: 'A', stock: 2 },
      { id: externalId(8), stock: 1 },
      { externalId: externalId(9), stock: 1 },
    );
    expect(json.data.summary).toEqual({ total: 4, failed: 3, pending: 1 });
    expect(json.data.errors).toMatchObject([
      { code: 'INV_001', message: 'Invalid SKU', rowIndex: 0, sku: 'nope' },
      { code: 'INV_002', message: 'Invalid Product ID', rowIndex: 2, id: externalId(8) },
      { code: 'INV_002', rowIndex: 3, externalId: externalId(9) },
    ]);
    expect(json.data.errors[0].details.context.reason).toBe('SKU_NOT_FOUND');
  });

  it('must be exactly one', async () => {
    await sandbox.seed('store-0wh', PRODUCT);
    const json = await update('store-0wh', { stock: 1 }, { sku: 'A', externalId: externalId(1), stock: 1 });
    expect(json.data.errors).toMatchObject([
      { code: 'VAL_001', rowIndex: 0 },
      { code: 'VAL_001', rowIndex: 1 },
    ]);
  });

  it('must not be a product whose stock belongs to its variants', async () => {
    await sandbox.seed('store-0wh', shirt(1, 'A'));
    const json = await update('store-0wh', { externalId: externalId(1), stock: 1 });
    expect(json.data.errors[0]).toMatchObject({
      code: 'VAL_001',
      details: { context: { reason: 'PRODUCT_HAS_VARIANTS' } },
    });
  });
});

describe('the three forms', () => {
  const stocks = async (store: string) => {
    const [live] = await sandbox.live(store);
    return Object.fromEntries(
      live.warehouses.map((entry: { clientId: string; stock: number }) => [entry.clientId, entry.stock]),
    );
  };

  it('stock alone is global', async () => {
    await sandbox.seed('store-2wh', PRODUCT);
    await update('store-2wh', { sku: 'A', stock: 5 });
    expect(await stocks('store-2wh')).toEqual({ 'wh-1': 5, 'wh-2': 5 });
  });

  it('stock with client IDs goes to the listed warehouses', async () => {
    await sandbox.seed('store-2wh', PRODUCT);
    await update('store-2wh', { sku: 'A', stock: 5, warehouses: ['wh-2'] });
    expect(await stocks('store-2wh')).toEqual({ 'wh-1': 1, 'wh-2': 5 });
  });

  it('warehouses with stock set each its own', async () => {
    await sandbox.seed('store-2wh', PRODUCT);
    const warehouses = [
      { clientId: 'wh-1', stock: 0 },
      { clientId: 'wh-2', stock: 7 },
    ];
    await update('store-2wh', { sku: 'A', warehouses });
    expect(await stocks('store-2wh')).toEqual({ 'wh-1': 0, 'wh-2': 7 });
  });

  it.each([
    ['store-2wh', {}, 'STOCK_MISSING'],
    ['store-2wh', { warehouses: ['wh-1'] }, 'STOCK_MISSING'],
    ['store-2wh', { stock: 1, warehouses: [{ clientId: 'wh-1', stock: 1 }] }, 'STOCK_AND_WAREHOUSES'],
    ['store-2wh', { stock: 1, warehouses: [] }, 'WAREHOUSES_EMPTY'],
    ['store-2wh', { stock: 1, warehouses: ['wh-9'] }, 'WAREHOUSE_NOT_FOUND'],
    ['store-0wh', { stock: 1, warehouses: ['wh-1'] }, 'WAREHOUSES_NOT_ALLOWED'],
    ['store-0wh', { stock: 1.5 }, 'INVALID_ROW'],
    ['store-0wh', { stock: -1 }, 'INVALID_ROW'],
  ])('refuse in %s %j: %s', async (store, row, reason) => {
    await sandbox.seed(store, PRODUCT);
    const json = await update(store, { sku: 'A', ...row });
    expect(json.data.errors[0]).toMatchObject({
      code: 'VAL_001',
      details: { retryable: false, context: { reason } },
    });
    expect((await sandbox.live(store))[0].history.stock).toHaveLength(store === 'store-2wh' ? 2 : 1);
  });
});

describe('the history', () => {
  it('keeps repeats of the same value, in order of application', async () => {
    await sandbox.seed('store-0wh', PRODUCT);
    await update('store-0wh', { sku: 'A', stock: 2 });
    await update('store-0wh', { sku: 'A', stock: 2 });
    const [{ history }] = await sandbox.live('store-0wh');
    expect(history.stock).toMatchObject([1, 2, 2].map((stock) => ({ clientId: null, stock })));
    const times = history.stock.map(({ time }: { time: string }) => time);
    expect(times).toEqual([...times].sort());
  });

  it('applies batches in the order of their acceptance', async () => {
    await sandbox.seed('store-0wh', PRODUCT);
    const values = Array.from({ length: 20 }, (_, index) => index + 10);
    for (const stock of values) {
      await sandbox.call('PATCH /partner/stores/inventory', { body: { items: [{ sku: 'A', stock }] } });
    }
    await sandbox.idle();
    const [{ history }] = await sandbox.live('store-0wh');
    expect(history.stock.map((record: { stock: number }) => record.stock)).toEqual([1, ...values]);
  });
});

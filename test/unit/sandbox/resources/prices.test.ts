import { describe, expect, it } from 'vitest';
import { externalId, shirt, useSandbox } from '../sandbox.ts';

const sandbox = useSandbox();

async function update(...items: unknown[]) {
  const { status, json } = await sandbox.call('PATCH /partner/stores/products/prices', { body: { items } });
  expect(status).toBe(200);
  await sandbox.idle();
  return json;
}

describe('prices', () => {
  it('apply to a simple product by id or sku', async () => {
    const [{ id }] = await sandbox.seed('store-0wh', { externalId: externalId(1), sku: 'A', price: 1 });
    const json = await update({ id, price: 2 }, { sku: 'A', price: 3, specialPrice: 2 });
    expect(json.data.acceptedRows).toEqual([
      { target: 'product', id, rowIndex: 0, externalId: externalId(1) },
      { target: 'product', id, rowIndex: 1, externalId: externalId(1) },
    ]);
    expect((await sandbox.live('store-0wh'))[0].history.price).toMatchObject([
      { price: 1, specialPrice: null },
      { price: 2, specialPrice: null },
      { price: 3, specialPrice: 2 },
    ]);
  });

  it('apply to a variant by its sku', async () => {
    const [product] = await sandbox.seed('store-0wh', shirt(1, 'A'));
    const json = await update({ sku: 'A-M', price: 55 });
    const { id } = product.variants.items[1];
    expect(json.data.acceptedRows).toEqual([{ target: 'variant', id, rowIndex: 0, sku: 'A-M' }]);
    const [live] = await sandbox.live('store-0wh');
    expect(live.variants.items.map((item: { price: number }) => item.price)).toEqual([100, 55]);
  });

  it('keep the special price when it is left out, and clear it with null', async () => {
    await sandbox.seed('store-0wh', { sku: 'A', price: 10, specialPrice: 9 });
    await update({ sku: 'A', price: 11 });
    expect((await sandbox.live('store-0wh'))[0]).toMatchObject({ price: 11, specialPrice: 9 });
    await update({ sku: 'A', price: 11, specialPrice: null });
    expect((await sandbox.live('store-0wh'))[0]).toMatchObject({ price: 11, specialPrice: null });
  });

  it('refuse the id of a product with variants', async () => {
    const [{ id }] = await sandbox.seed('store-0wh', shirt(1, 'A'));
    const json = await update({ id, price: 1 });
    expect(json.data.errors[0]).toMatchObject({
      code: 'VAL_001',
      rowIndex: 0,
      details: { retryable: false, context: { reason: 'PRODUCT_HAS_VARIANTS' } },
    });
  });

  it('give PRD_016 for an unknown sku', async () => {
    const json = await update({ sku: 'nope', price: 1 });
    expect(json.data.summary).toEqual({ total: 1, failed: 1, pending: 0 });
    expect(json.data.errors[0]).toMatchObject({
      code: 'PRD_016',
      message: 'Invalid SKU',
      sku: 'nope',
      details: { retryable: false, context: { reason: 'SKU_NOT_FOUND' } },
    });
  });

  it.each([{ sku: 'A' }, { price: 1 }, { sku: 'A', id: externalId(1), price: 1 }, { sku: 'A', price: '1' }])(
    'refuse the row %j',
    async (row) => {
      await sandbox.seed('store-0wh', { sku: 'A' });
      expect((await update(row)).data.errors[0].code).toBe('VAL_001');
    },
  );
});

import { describe, expect, it } from 'vitest';
import { externalId, shirt, useSandbox } from '../sandbox.ts';

const sandbox = useSandbox();

async function patch(store: string, id: string, body: unknown) {
  return sandbox.call(`PATCH /partner/stores/products/${id}`, { store, body });
}

async function reasonOf(store: string, id: string, body: unknown): Promise<string> {
  const { status, json } = await patch(store, id, body);
  expect([status, json.error?.code]).toEqual([400, 'VAL_001']);
  return json.error.details.context.reason;
}

const SIMPLE = { externalId: externalId(1), sku: 'A', name: 'old', price: 1, stock: 1 };

describe('a simple product', () => {
  it('takes any subset at once, and answers the fields that changed', async () => {
    const [{ id }] = await sandbox.seed('store-0wh', SIMPLE);
    const { status, json } = await patch('store-0wh', id, { name: 'new', sku: 'A', price: 2, stock: 5 });
    expect(status).toBe(200);
    expect(json.data).toEqual({
      externalId: externalId(1),
      id,
      hasVariants: false,
      updatedFields: ['name', 'price', 'stock'],
    });
    expect(await sandbox.live('store-0wh')).toMatchObject([{ name: 'new', sku: 'A', price: 2, stock: 5 }]);
  });

  it('is found by its new sku and no longer by its old one', async () => {
    const [{ id }] = await sandbox.seed('store-0wh', SIMPLE);
    await patch('store-0wh', id, { sku: 'B' });
    expect((await sandbox.call('GET /partner/stores/products/sku/B')).status).toBe(200);
    expect((await sandbox.call('GET /partner/stores/products/sku/A')).status).toBe(404);
  });

  it('that was the first with its sku stays its owner after an update, until it gives the sku up', async () => {
    const [first] = await sandbox.seed('store-0wh', SIMPLE);
    const [, second] = await sandbox.seed('store-0wh', { ...SIMPLE, externalId: externalId(2) });
    const ownerOf = async () => (await sandbox.call('GET /partner/stores/products/sku/A')).json.data.id;
    await patch('store-0wh', first.id, { name: 'new', sku: 'A' });
    expect(await ownerOf()).toBe(first.id);
    await patch('store-0wh', first.id, { sku: 'B' });
    expect(await ownerOf()).toBe(second.id);
    await patch('store-0wh', first.id, { sku: 'A' });
    expect(await ownerOf()).toBe(second.id);
  });

  it('takes no warehouses in a store without any', async () => {
    const [{ id }] = await sandbox.seed('store-0wh', SIMPLE);
    expect(await reasonOf('store-0wh', id, { warehouses: [{ clientId: 'wh-1', stock: 1 }] })).toBe(
      'WAREHOUSES_NOT_ALLOWED',
    );
  });

  it.each([
    [{ stock: 4 }, 4, 4],
    [{ warehouses: [{ clientId: 'wh-1', stock: 6 }] }, 6, 1],
  ])('with several warehouses takes %j', async (body, first, second) => {
    const [{ id }] = await sandbox.seed('store-2wh', SIMPLE);
    await patch('store-2wh', id, body);
    expect(await sandbox.live('store-2wh')).toMatchObject([
      { stock: first + second, warehouses: [{ stock: first }, { stock: second }] },
    ]);
  });

  it('takes stock at one level only', async () => {
    const [{ id }] = await sandbox.seed('store-1wh', SIMPLE);
    const warehouses = [{ clientId: 'wh-1', stock: 1 }];
    expect(await reasonOf('store-1wh', id, { stock: 1, warehouses })).toBe('STOCK_AND_WAREHOUSES');
    expect(await reasonOf('store-1wh', id, { warehouses: [] })).toBe('WAREHOUSES_EMPTY');
    expect(await reasonOf('store-1wh', id, { stock: 1, ...shirt(1, 'A') })).toBe('PRODUCT_HAS_VARIANTS');
  });

  it('becomes a variant product by variant items', async () => {
    const [{ id }] = await sandbox.seed('store-1wh', SIMPLE);
    const { variants } = shirt(1, 'B', [{ stock: 2 }, { stock: 3 }]);
    const { json } = await patch('store-1wh', id, { variants });
    expect(json.data).toMatchObject({
      hasVariants: true,
      updatedFields: expect.arrayContaining(['variants']),
    });
    expect(await sandbox.live('store-1wh')).toMatchObject([{ hasVariant: true, sku: null, stock: 5 }]);
  });
});

describe('a product with variants', () => {
  it.each(['price', 'specialPrice', 'stock', 'sku', 'warehouses'])(
    'takes no %s of its own',
    async (field) => {
      const [{ id }] = await sandbox.seed('store-1wh', shirt(1, 'A'));
      const values: Record<string, unknown> = { sku: 'X', warehouses: [{ clientId: 'wh-1', stock: 1 }] };
      expect(await reasonOf('store-1wh', id, { [field]: values[field] ?? 1 })).toBe('PRODUCT_HAS_VARIANTS');
    },
  );

  it('keeps its variants when they are omitted', async () => {
    const [{ id, variants }] = await sandbox.seed('store-0wh', shirt(1, 'A'));
    await patch('store-0wh', id, { name: 'new' });
    expect((await sandbox.live('store-0wh'))[0]).toMatchObject({ name: 'new', variants });
  });

  it('takes items as the final set: updates, creates, deactivates and reactivates', async () => {
    const [{ id }] = await sandbox.seed('store-0wh', shirt(1, 'A', [{}]));
    const activity = async () => {
      const [{ variants }] = await sandbox.live('store-0wh');
      return variants.items.map((item: { sku: string; isActive: boolean; price: number }) => [
        item.sku,
        item.isActive,
        item.price,
      ]);
    };
    const small = { sku: 'A-S', optionIndexes: [0], sortOrder: 0 };
    const medium = { sku: 'A-M', price: 8, optionIndexes: [1], sortOrder: 1 };
    await patch('store-0wh', id, { variants: { items: [medium] } });
    expect(await activity()).toEqual([
      ['A-S', false, 100],
      ['A-M', true, 8],
    ]);
    await patch('store-0wh', id, { variants: { items: [{ ...small, price: 7 }, medium] } });
    expect(await activity()).toEqual([
      ['A-S', true, 7],
      ['A-M', true, 8],
    ]);
  });

  it('becomes a simple product by an empty list of items, its variants deactivated', async () => {
    const [{ id }] = await sandbox.seed('store-0wh', shirt(1, 'A'));
    const { json } = await patch('store-0wh', id, { variants: { items: [] } });
    expect(json.data.hasVariants).toBe(false);
    const [live] = await sandbox.live('store-0wh');
    expect(live).toMatchObject({ hasVariant: false, price: 100, stock: 0 });
    expect(live.variants.items.map((item: { isActive: boolean }) => item.isActive)).toEqual([false, false]);
    expect((await patch('store-0wh', id, { sku: 'NOW-SIMPLE', stock: 3 })).status).toBe(200);
  });

  it('takes no variant stock in a store without warehouses', async () => {
    const [{ id }] = await sandbox.seed('store-0wh', shirt(1, 'A'));
    const items = (extra: unknown) => ({ variants: { items: [{ sku: 'A-S', ...(extra as object) }] } });
    expect(await reasonOf('store-0wh', id, items({ stock: 1 }))).toBe('STOCK_NOT_ALLOWED');
    expect(await reasonOf('store-0wh', id, items({ warehouses: [] }))).toBe('WAREHOUSES_NOT_ALLOWED');
  });

  it.each([
    ['store-1wh', { stock: 4 }, [4]],
    ['store-1wh', { warehouses: [{ clientId: 'wh-1', stock: 5 }] }, [5]],
    ['store-2wh', { stock: 4 }, [4, 4]],
    ['store-2wh', { warehouses: [{ clientId: 'wh-2', stock: 5 }] }, [0, 5]],
  ])('in %s takes %j for a variant, and synchronizes the aggregate', async (store, stock, expected) => {
    const [{ id }] = await sandbox.seed(store, shirt(1, 'A', [{}]));
    await patch(store, id, { variants: { items: [{ sku: 'A-S', ...stock }] } });
    const [live] = await sandbox.live(store);
    const [item] = live.variants.items;
    expect(item.warehouses.map((entry: { stock: number }) => entry.stock)).toEqual(expected);
    expect(live.stock).toBe(expected.reduce((sum, value) => sum + value, 0));
  });
});

it('answers PRD_014 for an unknown product and one of another store', async () => {
  const [{ id }] = await sandbox.seed('store-0wh', SIMPLE);
  for (const [store, target] of [
    ['store-0wh', externalId(9)],
    ['store-1wh', id],
  ] as const) {
    const { status, json } = await patch(store, target, { name: 'x' });
    expect([status, json.error.code]).toEqual([404, 'PRD_014']);
  }
});

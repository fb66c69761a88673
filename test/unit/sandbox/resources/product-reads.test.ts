import { describe, expect, it } from 'vitest';
import { externalId, shirt, useSandbox } from '../sandbox.ts';

const sandbox = useSandbox();

async function list(query: string) {
  const { status, json } = await sandbox.call(`GET /partner/stores/products${query}`);
  expect(status).toBe(200);
  return {
    names: json.data.map(({ name }: { name: string }) => name),
    pagination: json.pagination,
    data: json.data,
  };
}

const CATALOG = [
  { externalId: externalId(1), sku: 'CUP-1', name: 'Cup', price: 3, stock: 0 },
  { externalId: externalId(2), sku: 'BOWL-1', name: 'Bowl', price: 1, stock: 5, isArchived: true },
  { externalId: externalId(3), sku: 'DISH-1', name: 'Dish', price: 2, stock: 9 },
];

describe('the list', () => {
  it('is paged, with its totals', async () => {
    await sandbox.seed('store-0wh', ...CATALOG);
    const first = await list('?page=1&limit=2');
    expect(first.names).toEqual(['Cup', 'Bowl']);
    expect(first.pagination).toEqual({
      page: 1,
      limit: 2,
      total: 3,
      totalPages: 2,
      hasNext: true,
      hasPrev: false,
    });
    const second = await list('?page=2&limit=2');
    expect(second.names).toEqual(['Dish']);
    expect(second.pagination).toMatchObject({ hasNext: false, hasPrev: true });
  });

  it('of an empty store has no pages', async () => {
    expect((await list('')).pagination).toEqual({
      page: 1,
      limit: 20,
      total: 0,
      totalPages: 0,
      hasNext: false,
      hasPrev: false,
    });
  });

  it.each([
    ['?q=bowl', ['Bowl']],
    ['?q=dish-1', ['Dish']],
    ['?isArchived=true', ['Bowl']],
    ['?isArchived=false', ['Cup', 'Bowl', 'Dish', 'Shirt X']],
    ['?isAvailableStock=true', ['Bowl', 'Dish']],
    ['?isVerified=true', []],
    ['?isVariantActive=true', ['Shirt X']],
    ['?q=x-m', ['Shirt X']],
    ['?sortBy=__proto__', ['Cup', 'Bowl', 'Dish', 'Shirt X']],
    ['?sortBy=name', ['Bowl', 'Cup', 'Dish', 'Shirt X']],
    ['?sortBy=price&order=desc', ['Shirt X', 'Cup', 'Dish', 'Bowl']],
  ])('is selected by %s', async (query, names) => {
    await sandbox.seed('store-0wh', ...CATALOG, shirt(4, 'X'));
    expect((await list(query)).names).toEqual(names);
  });

  it('shows active variants only where asked to', async () => {
    await sandbox.seed('store-0wh', shirt(1, 'X', [{}, { status: 'INACTIVE' }]));
    const skus = async (query: string) => {
      const { data } = await list(query);
      return data[0].variants.items.map(({ sku }: { sku: string }) => sku);
    };
    expect(await skus('')).toEqual(['X-S', 'X-M']);
    expect(await skus('?isVariantActive=true')).toEqual(['X-S']);
  });

  it.each(['false', 'TRUE', '1', ''])('is not filtered by the string isArchived=%s', async (value) => {
    await sandbox.seed('store-0wh', { sku: 'A', isArchived: true }, { sku: 'B' });
    expect((await list(`?isArchived=${value}`)).data).toHaveLength(2);
  });

  it.each(['?page=0', '?limit=none', '?isVerified=maybe'])('is VAL_001 for %s', async (query) => {
    const { status, json } = await sandbox.call(`GET /partner/stores/products${query}`);
    expect([status, json.error.code]).toEqual([400, 'VAL_001']);
  });
});

describe('one product', () => {
  it('is read by id, with its warehouses', async () => {
    const [{ id }] = await sandbox.seed('store-1wh', { sku: 'A', stock: 3 });
    const { json } = await sandbox.call(`GET /partner/stores/products/${id}`, { store: 'store-1wh' });
    expect(json.data).toMatchObject({ id, sku: 'A', warehouses: [{ clientId: 'wh-1', stock: 3 }] });
    expect(json.data).not.toHaveProperty('history');
  });

  it('is read by id with active variants only where asked to', async () => {
    const [{ id }] = await sandbox.seed('store-0wh', shirt(1, 'X', [{}, { status: 'INACTIVE' }]));
    const { json } = await sandbox.call(`GET /partner/stores/products/${id}?isVariantActive=true`);
    expect(json.data.variants.items).toHaveLength(1);
  });

  it('is found by its sku or a variant’s, and says which', async () => {
    await sandbox.seed('store-0wh', { sku: 'A' }, shirt(1, 'X'));
    const bySku = async (sku: string) =>
      (await sandbox.call(`GET /partner/stores/products/sku/${sku}`)).json.data;
    expect(await bySku('A')).toMatchObject({ sku: 'A', matchedVariantSku: false });
    expect(await bySku('X-M')).toMatchObject({ name: 'Shirt X', matchedVariantSku: true });
  });

  it('is PRD_014 when it is unknown or another store’s', async () => {
    const [{ id }] = await sandbox.seed('store-1wh', { sku: 'A' });
    for (const path of [id, externalId(9), 'no-uuid', 'sku/A']) {
      const { status, json } = await sandbox.call(`GET /partner/stores/products/${path}`);
      expect([status, json.error.code]).toEqual([404, 'PRD_014']);
    }
    const { json } = await sandbox.call('GET /partner/stores/products/sku/A');
    expect(json.error.details.context).toEqual({ storeClientId: 'store-0wh', filter: { sku: 'A' } });
  });
});

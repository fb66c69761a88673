import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from 'vitest';
import type { ProductQuery } from '../../../../shared/marketplace/products.ts';
import { given, givenVariants, newSku, variantItem } from './products.ts';
import { errorOf, send, signed } from './raw-request.ts';
import { openTarget } from './target.ts';

const target = await openTarget();
afterAll(() => target.close());

const { client } = target;
const store = target.store('none');

async function namesOf(query: ProductQuery): Promise<(string | null | undefined)[]> {
  const names: (string | null | undefined)[] = [];
  for await (const { name } of client.iterateProducts(store, query)) names.push(name);
  return names;
}

describe('§4.11 list products', () => {
  it('returns all products found, page by page', async () => {
    const q = `paged ${randomUUID()}`;
    for (const number of [1, 2, 3]) await given(target, store, { name: `${q} ${number}` });
    const first = await client.listProducts(store, { q, page: 1, limit: 2 });
    expect(first.data).toHaveLength(2);
    expect(first.pagination).toMatchObject({
      page: 1,
      limit: 2,
      total: 3,
      totalPages: 2,
      hasNext: true,
      hasPrev: false,
    });
    const second = await client.listProducts(store, { q, page: 2, limit: 2 });
    expect(second.data).toHaveLength(1);
    expect(second.pagination).toMatchObject({ page: 2, hasNext: false, hasPrev: true });
    expect((await namesOf({ q, limit: 1 })).toSorted()).toEqual([`${q} 1`, `${q} 2`, `${q} 3`]);
  });

  it('searches by keyword with q', async () => {
    const q = randomUUID();
    await given(target, store, { name: `Boot ${q}` });
    expect(await namesOf({ q })).toEqual([`Boot ${q}`]);
    expect(await namesOf({ q: randomUUID() })).toEqual([]);
  });

  it('filters archived products with isArchived', async () => {
    const q = randomUUID();
    await given(target, store, { name: `a ${q}`, isArchived: true });
    await given(target, store, { name: `b ${q}`, isArchived: false });
    expect(await namesOf({ q, isArchived: true })).toEqual([`a ${q}`]);
  });

  it('filters products with stock with isAvailableStock', async () => {
    const q = randomUUID();
    await given(target, store, { name: `a ${q}`, stock: 1 });
    await given(target, store, { name: `b ${q}`, stock: 0 });
    expect(await namesOf({ q, isAvailableStock: true })).toEqual([`a ${q}`]);
  });

  it('filters products with active variants with isVariantActive', async () => {
    const withVariants = await givenVariants(target, store);
    const simple = await given(target, store);
    const ids: string[] = [];
    for await (const { id } of client.iterateProducts(store, { isVariantActive: true })) ids.push(id);
    expect(ids).toContain(withVariants.id);
    expect(ids).not.toContain(simple.id);
  });

  it('returns products with their variants', async () => {
    const { id } = await givenVariants(target, store);
    const listed = new Map<string, number>();
    for await (const product of client.iterateProducts(store))
      listed.set(product.id, product.variants?.items?.length ?? 0);
    expect(listed.get(id)).toBe(2);
  });
});

describe('§4.12 get product', () => {
  it('returns the product with its variants and their warehouses', async () => {
    const several = target.store('several');
    const { id } = await givenVariants(target, several);
    const { data } = await client.getProduct(several, { productId: id });
    expect(data).toMatchObject({ id, hasVariant: true });
    expect(data.variants?.items?.[0]?.warehouses?.map(({ clientId }) => clientId)).toEqual(
      expect.arrayContaining([...several.warehouses]),
    );
    expect(data.variants?.optionGroups).toMatchObject([{ level: 1, name: 'Colour' }]);
  });

  it('filters active variants with isVariantActive', async () => {
    const items = [variantItem(0), variantItem(1)];
    const { id } = await givenVariants(target, store, items);
    const sku = items[0]?.sku ?? '';
    await client.updateProduct(store, {
      productId: id,
      changes: { variants: { items: [{ sku, optionIndexes: [0] }] } },
    });
    const { data } = await client.getProduct(store, { productId: id, isVariantActive: true });
    expect(data.variants?.items?.map((item) => item.sku)).toEqual([sku]);
  });

  it('answers PRD_014 for a product that does not exist', async () => {
    const call = client.getProduct(store, { productId: randomUUID() });
    await expect(call).rejects.toMatchObject({ code: 'PRD_014', retryable: false });
  });

  it('answers PRD_014 for a product of another store', async () => {
    const { id } = await given(target, target.store('one'));
    await expect(client.getProduct(store, { productId: id })).rejects.toMatchObject({ code: 'PRD_014' });
  });
});

describe('§4.13 get product by SKU', () => {
  it('finds a simple product by its own SKU, with matchedVariantSku false', async () => {
    const { sku, id } = await given(target, store);
    const { data } = await client.getProductBySku(store, { sku: sku ?? '' });
    expect(data).toMatchObject({ id, sku, matchedVariantSku: false });
  });

  it('finds a product by the SKU of a variant, with matchedVariantSku true', async () => {
    const items = [variantItem(0), variantItem(1)];
    const { id } = await givenVariants(target, store, items);
    const { data } = await client.getProductBySku(store, { sku: items[1]?.sku ?? '' });
    expect(data).toMatchObject({ id, matchedVariantSku: true });
  });

  it.each(['a/b', 'a b', '100%', 'what?', 'a#b', '鞋', "it's (new)!", 'a+b', 'a&b=c', '%2F', '..x'])(
    'finds %j',
    async (odd) => {
      const sku = `${odd} ${randomUUID()}`;
      await given(target, store, { sku });
      expect((await client.getProductBySku(store, { sku })).data.sku).toBe(sku);
    },
  );

  it('answers PRD_014 with the SKU that matches nothing', async () => {
    const sku = newSku();
    await expect(client.getProductBySku(store, { sku })).rejects.toMatchObject({
      code: 'PRD_014',
      context: { storeClientId: store.storeClientId, filter: { sku } },
    });
  });
});

describe('§4.10 delete products', () => {
  it('reports each id as deleted or as not found (PRD_014)', async () => {
    const { id, externalId, sku } = await given(target, store);
    const unknown = randomUUID();
    const { data, meta } = await client.deleteProducts(store, { ids: [id, unknown] });
    expect(data?.summary).toMatchObject({ total: 2, succeeded: 1, failed: 1 });
    expect(data?.successItems).toMatchObject([{ id, externalId }]);
    expect(data?.errors).toMatchObject([{ code: 'PRD_014', rowIndex: 1, id: unknown }]);
    expect(meta?.dispatch).toBe(false);
    await expect(client.getProductBySku(store, { sku: sku ?? '' })).rejects.toMatchObject({
      code: 'PRD_014',
    });
  });

  it.each(['{}', '{"ids":[]}'])('answers VAL_001 to a missing or empty list: %s', async (body) => {
    const answer = await send(
      target,
      signed(target, { method: 'POST', path: '/partner/stores/products/deletions', store, body }),
    );
    const { code, details } = errorOf(answer);
    expect(code).toBe('VAL_001');
    expect(JSON.stringify(details?.context?.validationErrors)).toMatch(/at least one/i);
  });
});

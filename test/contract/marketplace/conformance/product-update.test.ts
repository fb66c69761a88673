import { afterAll, describe, expect, it } from 'vitest';
import type { ProductChanges } from '../../../../shared/marketplace/product-request.ts';
import { given, givenVariants, newSku, variantItem } from './products.ts';
import { errorOf, send, signed } from './raw-request.ts';
import { openTarget, type TargetStore } from './target.ts';

const target = await openTarget();
afterAll(() => target.close());

const { client } = target;
const [none, one, several] = [target.store('none'), target.store('one'), target.store('several')];

async function update(store: TargetStore, productId: string, changes: ProductChanges) {
  const { data } = await client.updateProduct(store, { productId, changes });
  const read = await client.getProduct(store, { productId });
  return { ...data, product: read.data };
}

/** The server's verdict on changes that the client refuses to send. */
async function verdict(store: TargetStore, productId: string, changes: object): Promise<string | undefined> {
  const body = JSON.stringify(changes);
  const answer = await send(
    target,
    signed(target, { method: 'PATCH', path: `/partner/stores/products/${productId}`, store, body }),
  );
  return errorOf(answer).code;
}

/** The SKUs of a product's variants, by whether they are active. */
function skus(
  items:
    | readonly { sku?: string | null | undefined; isActive?: boolean | null | undefined }[]
    | null
    | undefined,
) {
  const of = (active: boolean) =>
    (items ?? []).filter(({ isActive }) => isActive === active).map(({ sku }) => sku);
  return { active: of(true), inactive: of(false) };
}

describe('§4.7 update product', () => {
  it('changes the given fields, keeps the others and names what changed', async () => {
    const { id, externalId } = await given(target, none, { stock: 1 });
    const result = await update(none, id, {
      name: 'Trail shoe',
      price: 260_000,
      description: 'Light and fast',
    });
    expect(result).toMatchObject({ id, externalId, hasVariants: false });
    expect(result.updatedFields?.toSorted()).toEqual(['name', 'price']);
    expect(result.product).toMatchObject({ name: 'Trail shoe', price: 260_000, stock: 1, condition: 'NEW' });
  });

  it('clears the special price with null', async () => {
    const { id } = await given(target, none, { specialPrice: 200_000 });
    expect((await update(none, id, { specialPrice: null })).product.specialPrice ?? null).toBeNull();
  });

  it('answers PRD_014 for an unknown product', async () => {
    const productId = '00000000-0000-4000-8000-000000000000';
    const call = client.updateProduct(none, { productId, changes: { name: 'x' } });
    await expect(call).rejects.toMatchObject({ code: 'PRD_014', outcome: 'refused' });
  });
});

describe('§4.7 restrictions', () => {
  it.each([
    ['price', { price: 1 }],
    ['specialPrice', { specialPrice: 1 }],
    ['stock', { stock: 1 }],
    ['sku', { sku: 'other' }],
    ['warehouses', { warehouses: [{ clientId: one.warehouses[0] ?? '', stock: 1 }] }],
  ])('%s is not allowed at product level on a product with variants', async (_, changes) => {
    const { id } = await givenVariants(target, one);
    await expect(client.updateProduct(one, { productId: id, changes })).rejects.toMatchObject({
      code: 'VAL_001',
    });
  });

  it('product-level values are not allowed in a request that also brings variants', async () => {
    const { id } = await given(target, one);
    const variants = {
      items: [variantItem(0)],
      optionGroups: [{ level: 1, name: 'Colour', values: [{ label: 'Red' }] }],
    };
    expect(await verdict(one, id, { price: 1, variants })).toBe('VAL_001');
  });

  it('stock and warehouses together on a simple product are refused', async () => {
    const { id } = await given(target, one);
    const warehouses = [{ clientId: one.warehouses[0], stock: 1 }];
    expect(await verdict(one, id, { stock: 1, warehouses })).toBe('VAL_001');
  });

  it('stock and warehouses together on a variant are refused', async () => {
    const { id, variants } = await givenVariants(target, one);
    const [item] = variants?.items ?? [];
    const both = {
      sku: item?.sku,
      optionIndexes: [0],
      stock: 1,
      warehouses: [{ clientId: one.warehouses[0], stock: 1 }],
    };
    expect(await verdict(one, id, { variants: { items: [both] } })).toBe('VAL_001');
  });

  it('warehouses must not be empty', async () => {
    const { id } = await given(target, one);
    expect(await verdict(one, id, { warehouses: [] })).toBe('VAL_001');
  });

  it('each warehouse must have a valid clientId', async () => {
    const { id } = await given(target, one);
    const call = client.updateProduct(one, {
      productId: id,
      changes: { warehouses: [{ clientId: 'no-such', stock: 1 }] },
    });
    await expect(call).rejects.toMatchObject({ code: 'VAL_001' });
  });
});

describe('§4.7 a store without warehouses', () => {
  it('accepts stock of a simple product', async () => {
    const { id } = await given(target, none, { stock: 1 });
    expect((await update(none, id, { stock: 9 })).product.stock).toBe(9);
  });

  it('refuses warehouses of a simple product', async () => {
    const { id } = await given(target, none);
    expect(await verdict(none, id, { warehouses: [{ clientId: 'wh-1', stock: 1 }] })).toBe('VAL_001');
  });

  it.each([
    ['stock', { stock: 1 }],
    ['warehouses', { warehouses: [{ clientId: 'wh-1', stock: 1 }] }],
  ])('refuses %s of a variant', async (_, level) => {
    const { id, variants } = await givenVariants(target, none);
    const items = (variants?.items ?? []).map(({ sku }, index) => ({
      sku,
      optionIndexes: [index],
      ...level,
    }));
    expect(await verdict(none, id, { variants: { items } })).toBe('VAL_001');
  });
});

describe('§4.7 a store with one warehouse', () => {
  const [clientId = ''] = one.warehouses;

  it.each([
    ['stock', { stock: 9 }],
    ['warehouses', { warehouses: [{ clientId, stock: 9 }] }],
  ])(
    'applies %s of a simple product to that warehouse and synchronizes the aggregate',
    async (_, changes) => {
      const { id } = await given(target, one, { stock: 1 });
      const { product } = await update(one, id, changes);
      expect(product.stock).toBe(9);
      expect(product.warehouses).toMatchObject([{ clientId, stock: 9 }]);
    },
  );

  it.each([
    ['stock', { stock: 9 }],
    ['warehouses', { warehouses: [{ clientId, stock: 9 }] }],
  ])('applies %s of a variant to that warehouse and synchronizes the aggregate', async (_, level) => {
    const items = [variantItem(0, { stock: 1 }), variantItem(1, { stock: 2 })];
    const { id } = await givenVariants(target, one, items);
    const [first, second] = items.map(({ sku }, index) => ({ sku: sku ?? '', optionIndexes: [index] }));
    const { product } = await update(one, id, {
      variants: { items: [{ ...first, ...level }, { ...second }] },
    });
    expect(product.variants?.items).toMatchObject([
      { stock: 9, warehouses: [{ clientId, stock: 9 }] },
      { stock: 2 },
    ]);
    expect(product.stock).toBe(11);
  });
});

describe('§4.7 a store with several warehouses', () => {
  const [first = '', second = ''] = several.warehouses;

  it('applies stock of a simple product to all warehouses', async () => {
    const { id } = await given(target, several, {
      warehouses: [
        { clientId: first, stock: 1 },
        { clientId: second, stock: 2 },
      ],
    });
    const { product } = await update(several, id, { stock: 10 });
    const stocks = (product.warehouses ?? []).map(({ stock }) => stock ?? 0);
    expect(stocks).not.toContain(1);
    expect(stocks).not.toContain(2);
    expect(product.stock).toBe(stocks.reduce((sum, stock) => sum + stock, 0));
  });

  it('applies warehouses of a simple product to the listed ones only', async () => {
    const { id } = await given(target, several, {
      warehouses: [
        { clientId: first, stock: 1 },
        { clientId: second, stock: 2 },
      ],
    });
    const { product } = await update(several, id, { warehouses: [{ clientId: second, stock: 7 }] });
    expect(product.warehouses).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ clientId: first, stock: 1 }),
        expect.objectContaining({ clientId: second, stock: 7 }),
      ]),
    );
    expect(product.stock).toBe(8);
  });

  it('applies warehouses of a variant to the listed ones only', async () => {
    const items = [
      variantItem(0, {
        warehouses: [
          { clientId: first, stock: 1 },
          { clientId: second, stock: 2 },
        ],
      }),
    ];
    const { id } = await givenVariants(target, several, items);
    const changed = {
      sku: items[0]?.sku ?? '',
      optionIndexes: [0],
      warehouses: [{ clientId: first, stock: 5 }],
    };
    const { product } = await update(several, id, { variants: { items: [changed] } });
    expect(product.variants?.items?.[0]?.warehouses).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ clientId: first, stock: 5 }),
        expect.objectContaining({ clientId: second, stock: 2 }),
      ]),
    );
  });
});

describe('§3 variants on update', () => {
  it('stay unchanged when they are omitted', async () => {
    const before = await givenVariants(target, one);
    const { product } = await update(one, before.id, { name: 'Renamed' });
    expect(product.variants?.items).toEqual(before.variants?.items);
  });

  it('are the complete desired set: existing ones are updated, new ones created, omitted ones deactivated', async () => {
    const items = [variantItem(0), variantItem(1)];
    const { id } = await givenVariants(target, one, items);
    const [kept, omitted] = items.map(({ sku }) => sku ?? '');
    const added = newSku();
    const desired = [
      { sku: kept ?? '', optionIndexes: [0], price: 99_000 },
      { sku: added, optionIndexes: [2], price: 88_000 },
    ];
    const { product } = await update(one, id, { variants: { items: desired } });
    expect(skus(product.variants?.items)).toEqual({
      active: expect.arrayContaining([kept, added]),
      inactive: [omitted],
    });
    expect(product.variants?.items?.find(({ sku }) => sku === kept)?.price).toBe(99_000);
  });

  it('are reactivated when they are in the desired set again', async () => {
    const items = [variantItem(0), variantItem(1)];
    const { id } = await givenVariants(target, one, items);
    const [first, second] = items.map(({ sku, price }, index) => ({
      sku: sku ?? '',
      price: price ?? 0,
      optionIndexes: [index],
    }));
    await update(one, id, { variants: { items: [{ ...first }] } });
    const { product } = await update(one, id, { variants: { items: [{ ...first }, { ...second }] } });
    expect(skus(product.variants?.items).inactive).toEqual([]);
  });

  it('are all deactivated by an empty list, and the product becomes simple', async () => {
    const { id } = await givenVariants(target, one);
    const { product, hasVariants } = await update(one, id, { variants: { items: [] } });
    expect(hasVariants).toBe(false);
    expect(product.hasVariant).toBe(false);
    expect(skus(product.variants?.items).active).toEqual([]);
    expect((await update(one, id, { price: 5_000, stock: 4 })).product).toMatchObject({
      price: 5_000,
      stock: 4,
    });
  });
});

import { describe, expect, test } from 'vitest';
import {
  listingOf,
  needsProduct,
  skusSetBy,
  splitUpdate,
} from '../../../../shared/products/rules/split-update.ts';

const id = '10000000-0000-4000-8000-00000000000a';
const externalId = '20000000-0000-4000-8000-00000000000b';
const shown = { id, sku: 'shown', externalId: externalId.toUpperCase(), price: 100 };
const none = { prices: [], stocks: [] };

describe('the split of an update', () => {
  test('separates price and stock of the product from the rest', () => {
    expect(
      splitUpdate(id.toUpperCase(), { name: 'New', price: 5, specialPrice: null, stock: 3 }, 'sku'),
    ).toEqual({
      id,
      changes: { name: 'New' },
      offer: { price: 5, specialPrice: null, stock: 3 },
      variants: none,
    });
  });

  const items = [
    { sku: 'A', price: 5, stock: 3, sortOrder: 1 },
    { sku: 'B', warehouses: [{ clientId: 'wh-1', stock: 2 }] },
  ];

  test('gives price and stock of variants to their own listings, by SKU', () => {
    expect(splitUpdate(id, { variants: { items } }, 'sku')).toMatchObject({
      changes: { variants: { items: [{ sku: 'A', sortOrder: 1 }, { sku: 'B' }] } },
      variants: {
        prices: [{ sku: 'A', price: 5 }],
        stocks: [
          { sku: 'A', stock: 3 },
          { sku: 'B', warehouses: [{ clientId: 'wh-1', stock: 2 }] },
        ],
      },
    });
  });

  test('leaves values without a SKU with the product', () => {
    expect(splitUpdate(id, { variants: { items } }, 'id')).toMatchObject({
      changes: { variants: { items } },
      variants: none,
    });
    const [{ price, ...first }, second] = items as [{ price: number }, object];
    expect(splitUpdate(id, { variants: { items } }, 'externalId')).toMatchObject({
      changes: { variants: { items: [first, second] } },
      variants: { prices: [{ sku: 'A', price }], stocks: [] },
    });
  });

  test('gives a negative stock of a variant to its listing as it is, and leaves it with the product as 0', () => {
    const stocks = [
      { sku: 'A', stock: -3 },
      { sku: 'B', warehouses: [{ clientId: 'wh-1', stock: -2 }] },
    ];
    const changes = { variants: { items: stocks } };
    expect(splitUpdate(id, changes, 'sku').variants.stocks).toEqual(stocks);
    expect(splitUpdate(id, changes, 'id').changes.variants?.items).toEqual([
      { sku: 'A', stock: 0 },
      { sku: 'B', warehouses: [{ clientId: 'wh-1', stock: 0 }] },
    ]);
  });

  test.each([
    ['a variant without a SKU', { variants: { items: [{ price: 5, stock: 3 }] } }],
    ['an empty list of variants, which deactivates all', { variants: { items: [] } }],
    [
      'option groups alone',
      { variants: { optionGroups: [{ level: 1, name: 'Size', values: [{ label: 'S' }] }] } },
    ],
  ])('leaves %s unchanged', (_, changes) => {
    expect(splitUpdate(id, changes, 'sku')).toEqual({ id, changes, offer: {}, variants: none });
  });
});

describe('the listing change of an update', () => {
  const offer = { price: 5, specialPrice: 4, stock: 3 };
  const item = splitUpdate(id, offer, 'sku');

  test('uses the name that the store uses', () => {
    const values = [{ price: 5, specialPrice: 4 }, { stock: 3 }] as const;
    const named = (price: object, stock = price) => ({
      prices: [{ ...price, ...values[0] }],
      stocks: [{ ...stock, ...values[1] }],
    });
    expect(listingOf(item, 'sku', { shown })).toEqual(named({ sku: 'shown' }));
    expect(listingOf(item, 'sku', { shown, sku: 'new' })).toEqual(named({ sku: 'new' }));
    expect(listingOf(item, 'id', {})).toEqual(named({ id }));
    expect(listingOf(item, 'externalId', { shown })).toEqual(
      named({ sku: 'shown' }, { externalId: shown.externalId }),
    );
  });

  test('combines a lone special price with the price that the marketplace shows', () => {
    const lone = splitUpdate(id, { specialPrice: null }, 'sku');
    expect(listingOf(lone, 'sku', { shown })).toEqual({
      prices: [{ sku: 'shown', specialPrice: null, shownPrice: 100 }],
      stocks: [],
    });
    expect(listingOf(lone, 'sku', { shown: { ...shown, price: null } })).toMatchObject({
      fault: { code: 'ROW_INVALID', field: 'detail.changes.specialPrice' },
    });
  });

  test.each([
    ['the product has variants', 'sku', { hasVariant: true }],
    ['the product has no SKU', 'sku', { sku: null }],
    ['the product has no externalId', 'externalId', { externalId: null }],
    ['the product has no SKU for its price', 'externalId', { sku: '' }],
  ] as const)('is refused when %s', (_, name, over) => {
    expect(listingOf(item, name, { shown: { ...shown, ...over } })).toMatchObject({
      fault: { code: 'ROW_INVALID', field: 'detail.changes' },
    });
  });

  test.each([
    [{ price: 5 }, 'sku', true],
    [{ stock: 5 }, 'externalId', true],
    [{ price: 5, specialPrice: 4 }, 'id', false],
    [{ specialPrice: 4 }, 'id', true],
    [{ name: 'New' }, 'sku', false],
    [{ variants: { items: [{ sku: 'A', price: 5 }] } }, 'sku', false],
    [{ variants: { items: [{ sku: 'A', optionIndexes: [0] }] } }, 'sku', true],
    [{ variants: { items: [{ sku: 'A', optionIndexes: [0] }] } }, 'id', false],
  ] as const)('needs a read of the product for %j, by %s: %s', (changes, name, expected) => {
    expect(needsProduct(splitUpdate(id, structuredClone(changes) as object, name), name)).toBe(expected);
  });
});

test('the SKUs of an update are its own and those of its variants', () => {
  expect(skusSetBy({ sku: 'P', variants: { items: [{ sku: 'A' }, { price: 5 }] } })).toEqual(['P', 'A']);
  expect(skusSetBy({ name: 'New' })).toEqual([]);
});

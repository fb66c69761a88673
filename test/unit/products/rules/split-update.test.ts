import { describe, expect, test } from 'vitest';
import { isAboutListings, skusOf, splitUpdate } from '../../../../shared/products/rules/split-update.ts';
import type { StoreNames } from '../../../../shared/stores/model.ts';

const bySku: StoreNames = { products: 'sku', orders: 'orderId' };
const byId: StoreNames = { products: 'id', orders: 'orderId' };
const byExternalId: StoreNames = { products: 'externalId', orders: 'orderId' };
const noVariants = { prices: [], stocks: [] };

describe('splitUpdate', () => {
  test('gives price and stock to the listing, and the rest to the product', () => {
    expect(splitUpdate({ name: 'New', price: 5, specialPrice: 4, stock: 3 }, byId)).toEqual({
      product: { name: 'New' },
      own: { price: 5, specialPrice: 4, stock: 3 },
      variants: noVariants,
      isReadNeeded: false,
    });
  });

  test('gives price and stock of variants to their own listings, by SKU', () => {
    const items = [
      { sku: 'A', price: 5, stock: 3, sortOrder: 1 },
      { sku: 'B', warehouses: [{ clientId: 'wh-1', stock: 2 }] },
    ];
    expect(splitUpdate({ variants: { items } }, bySku)).toMatchObject({
      product: { variants: { items: [{ sku: 'A', sortOrder: 1 }, { sku: 'B' }] } },
      variants: {
        prices: [{ sku: 'A', price: 5 }],
        stocks: [
          { sku: 'A', stock: 3 },
          { sku: 'B', warehouses: [{ clientId: 'wh-1', stock: 2 }] },
        ],
      },
      isReadNeeded: false,
    });
  });

  test.each([
    ['a variant without a SKU', bySku, { variants: { items: [{ price: 5, stock: 3 }] } }],
    [
      'a variant in a store that names products by ID',
      byId,
      { variants: { items: [{ sku: 'A', price: 5, stock: 3 }] } },
    ],
    ['an empty list of variants, which deactivates all', bySku, { variants: { items: [] } }],
    [
      'option groups alone',
      bySku,
      { variants: { optionGroups: [{ level: 1, name: 'Size', values: [{ label: 'S' }] }] } },
    ],
  ])('leaves %s as it is', (_, names, changes) => {
    expect(splitUpdate(changes, names)).toMatchObject({ product: changes, variants: noVariants });
  });

  test('leaves the stock of a variant with the product where stock goes by externalId, and not its price', () => {
    const items = [{ sku: 'A', price: 5, stock: 3 }];
    expect(splitUpdate({ variants: { items } }, byExternalId)).toMatchObject({
      product: { variants: { items: [{ sku: 'A', stock: 3 }] } },
      variants: { prices: [{ sku: 'A', price: 5 }], stocks: [] },
    });
  });
});

test.each([
  [{ price: 5, stock: 3 }, byId, true],
  [{ price: 5, specialPrice: 4 }, byId, true],
  [{ specialPrice: 4 }, byId, false],
  [{ name: 'New', price: 5 }, byId, false],
  [{ price: 5 }, bySku, false],
  [{ stock: 3 }, byExternalId, false],
  [{ variants: { items: [] } }, bySku, false],
])(
  '%j in a store that names products as %j is about listings alone, without a read: %s',
  (changes, names, expected) => {
    expect(isAboutListings(splitUpdate(changes, names))).toBe(expected);
  },
);

test('the SKUs that an update may give are those of the product and of its variants', () => {
  expect(skusOf({ sku: 'P', variants: { items: [{ sku: 'A' }, { price: 5 }] } })).toEqual(['P', 'A']);
  expect(skusOf({ name: 'New' })).toEqual([]);
});

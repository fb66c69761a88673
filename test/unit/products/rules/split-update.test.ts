import { describe, expect, test } from 'vitest';
import {
  isAboutListings,
  splitUpdate,
  variantSkusOf,
} from '../../../../shared/products/rules/split-update.ts';

const id = '10000000-0000-4000-8000-000000000001';

describe('splitUpdate', () => {
  test('gives price and stock to the listing, and the rest to the product', () => {
    expect(splitUpdate(id, { name: 'New', price: 5, specialPrice: 4, stock: 3 })).toEqual({
      product: { name: 'New' },
      listing: { prices: [{ id, price: 5, specialPrice: 4 }], stocks: [{ id, stock: 3 }] },
    });
  });

  test('parts from the product a special price that comes without a price', () => {
    expect(splitUpdate(id, { name: 'New', specialPrice: null })).toEqual({
      product: { name: 'New' },
      listing: { prices: [], stocks: [] },
      specialPrice: null,
    });
  });

  test('gives price and stock of variants to their own listings, by SKU', () => {
    const items = [
      { sku: 'A', price: 5, stock: 3, sortOrder: 1 },
      { sku: 'B', warehouses: [{ clientId: 'wh-1', stock: 2 }] },
    ];
    expect(splitUpdate(id, { variants: { items } })).toEqual({
      product: { variants: { items: [{ sku: 'A', sortOrder: 1 }, { sku: 'B' }] } },
      listing: {
        prices: [{ sku: 'A', price: 5 }],
        stocks: [
          { sku: 'A', stock: 3 },
          { sku: 'B', warehouses: [{ clientId: 'wh-1', stock: 2 }] },
        ],
      },
    });
  });

  test.each([
    ['a variant without a SKU', { variants: { items: [{ price: 5, stock: 3 }] } }],
    ['an empty list of variants, which deactivates all', { variants: { items: [] } }],
    [
      'option groups alone',
      { variants: { optionGroups: [{ level: 1, name: 'Size', values: [{ label: 'S' }] }] } },
    ],
  ])('leaves %s as it is', (_, changes) => {
    expect(splitUpdate(id, changes)).toEqual({ product: changes, listing: { prices: [], stocks: [] } });
  });
});

test.each([
  [{ price: 5, stock: 3 }, true],
  [{ price: 5, specialPrice: 4 }, true],
  [{ specialPrice: 4 }, false],
  [{ name: 'New', price: 5 }, false],
])('%j is about listings alone: %s', (changes, expected) => {
  expect(isAboutListings(splitUpdate(id, changes))).toBe(expected);
});

test('the variants that an update may create are those that have a SKU', () => {
  expect(variantSkusOf({ variants: { items: [{ sku: 'A' }, { price: 5 }] } })).toEqual(['A']);
  expect(variantSkusOf({ name: 'New' })).toEqual([]);
});

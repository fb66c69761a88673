import { describe, expect, test } from 'vitest';
import type { Listing, Live } from '../../../../shared/listings/model.ts';
import { liveValueOf } from '../../../../shared/listings/rules/listing-view.ts';
import { shownByTarget, withLive } from '../../../../shared/listings/use-cases/recording-reads.ts';

const listing = (desired: Listing['desired'], values?: Live['values'], at = '2026-01-01T00:00:00.000Z') =>
  ({
    storeClientId: 'store',
    target: 'sku:A',
    versionKind: 'integer',
    desired,
    sent: {},
    settled: {},
    failures: 0,
    ...(values === undefined ? {} : { live: { at, values } }),
  }) satisfies Listing;

describe('live values from a read of a product', () => {
  test('are those of a simple product, under each of its names', () => {
    const shown = shownByTarget({
      id: 'i',
      externalId: 'e',
      sku: 'A',
      price: 900,
      specialPrice: 800,
      stock: 5,
      warehouses: [
        { clientId: 'wh-1', stock: 2 },
        { clientId: 'wh-2', stock: 3 },
      ],
    });
    const values = { price: 900, specialPrice: 800, stock: 5, 'stock:wh-1': 2, 'stock:wh-2': 3 };
    expect(Object.fromEntries(shown)).toEqual({ 'sku:A': values, 'id:i': values, 'externalId:e': values });
  });

  test('are those of each variant under its SKU, and none under the names of the product', () => {
    const shown = shownByTarget({
      id: 'i',
      externalId: null,
      sku: 'A-red',
      price: 900,
      stock: 12,
      variants: {
        items: [
          { sku: 'A-red', price: 900, specialPrice: 850, stock: 4 },
          { sku: 'A-blue', price: 950, stock: 8 },
          { sku: null, price: 1 },
        ],
      },
    });
    expect(Object.fromEntries(shown)).toEqual({
      'id:i': {},
      'sku:A-red': { price: 900, specialPrice: 850, stock: 4 },
      'sku:A-blue': { price: 950, specialPrice: null, stock: 8 },
    });
  });

  test('are those of the product itself once all its variants are deactivated', () => {
    const shown = shownByTarget({
      id: 'i',
      sku: 'A',
      price: 900,
      stock: 5,
      hasVariant: false,
      variants: {
        items: [
          { sku: 'A', isActive: false, price: 1, stock: 0 },
          { sku: 'A-red', isActive: false, price: 2, stock: 0 },
        ],
      },
    });
    const own = { price: 900, specialPrice: null, stock: 5 };
    expect(Object.fromEntries(shown)).toEqual({
      'id:i': own,
      'sku:A': own,
      'sku:A-red': { price: 2, specialPrice: null, stock: 0 },
    });
  });

  test('are those of the active variant of two with one SKU', () => {
    const items = [
      { sku: 'A-red', isActive: true, price: 900, stock: 5 },
      { sku: 'A-red', isActive: false, price: 1, stock: 0 },
    ];
    const shown = shownByTarget({ id: 'i', variants: { items } });
    expect(shown.get('sku:A-red')).toEqual({ price: 900, specialPrice: null, stock: 5 });
  });

  test('have no special price when a price is shown without one, and leave out values that are not shown', () => {
    expect(shownByTarget({ id: 'i', price: 900 }).get('id:i')).toEqual({ price: 900, specialPrice: null });
    expect(shownByTarget({ id: 'i', stock: 3 }).get('id:i')).toEqual({ stock: 3 });
    expect(shownByTarget({ id: 'i', hasVariant: true, price: 900 }).get('id:i')).toEqual({});
  });
});

test('live values leave out names and warehouses that are too long for a listing, and warehouses without a clientId', () => {
  const [long, warehouse] = ['x'.repeat(1021), { clientId: 'w'.repeat(101), stock: 1 }];
  const warehouses = [warehouse, { clientId: null, stock: 2 }, { stock: 3 }];
  const shown = shownByTarget({ id: 'i', sku: long, price: 1e200, stock: 5, warehouses });
  expect(Object.fromEntries(shown)).toEqual({ 'id:i': { stock: 5 } });
});

describe('the live value of a register', () => {
  const own = { value: 1, version: 1 };

  test('is unknown while the product has not been read', () => {
    expect(liveValueOf(listing({ stock: own }), 'stock')).toBeUndefined();
  });

  test('is that of the warehouses without their own register, for global stock', () => {
    const values = { stock: 9, 'stock:wh-1': 2, 'stock:wh-2': 7 };
    expect(liveValueOf(listing({ stock: own, 'stock:wh-1': own }, values), 'stock')).toBe(7);
    expect(liveValueOf(listing({ stock: own, 'stock:wh-1': own }, values), 'stock:wh-1')).toBe(2);
    expect(liveValueOf(listing({ stock: own }, { stock: 9 }), 'stock')).toBe(9);
  });

  test('is missing for global stock when those warehouses differ or do not exist', () => {
    const values = { stock: 9, 'stock:wh-1': 2, 'stock:wh-2': 7 };
    expect(liveValueOf(listing({ stock: own }, values), 'stock')).toBeUndefined();
    const all = { stock: own, 'stock:wh-1': own, 'stock:wh-2': own };
    expect(liveValueOf(listing(all, values), 'stock')).toBeUndefined();
  });
});

test('a live value from a later read is not replaced by an earlier read', () => {
  const seen = listing({}, { stock: 5 }, '2026-01-01T00:00:05.000Z');
  expect(withLive(seen, { at: '2026-01-01T00:00:04.999Z', values: { stock: 4 } })).toBeUndefined();
  expect(withLive(seen, { at: '2026-01-01T00:00:05.001Z', values: { stock: 6 } })?.live?.values).toEqual({
    stock: 6,
  });
});

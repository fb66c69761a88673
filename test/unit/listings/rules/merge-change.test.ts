import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type Listing,
  type ListingChange,
  type RegisterName,
  registerEntries,
} from '../../../../shared/listings/model.ts';
import { mergeChange } from '../../../../shared/listings/rules/merge-change.ts';
import { settleRegisters } from '../../../../shared/listings/rules/row.ts';
import { nextStep } from '../../../../shared/listings/rules/waiting.ts';

const NOW = Date.UTC(2026, 0, 1);

const change = (version: number, values: ListingChange['values']): ListingChange => ({
  storeClientId: 'store',
  target: 'sku:A',
  versionKind: 'integer',
  version,
  values,
});

/** Merges the changes one after another; a stale or equal value does not change the listing. */
function mergeAll(changes: readonly ListingChange[]): Listing | undefined {
  let listing: Listing | undefined;
  for (const each of changes) {
    const merge = mergeChange(listing, each, NOW);
    if (merge.result === 'changed') listing = merge.listing;
  }
  return listing;
}

const stock = fc.integer({ min: 0, max: 3 });
const values = fc.oneof(
  fc.record({ stock }),
  fc.record({ 'stock:wh-1': stock }),
  fc.record({ 'stock:wh-1': stock, 'stock:wh-2': stock }),
  fc.record({ price: stock }),
  fc.record({ price: stock, specialPrice: fc.option(stock) }),
);
const changes = fc.array(fc.record({ version: fc.integer({ min: 1, max: 4 }), values }), { maxLength: 8 });

/** The expected value of a warehouse: the newest of its own and the global ones. */
function newestFor(warehouse: string, all: readonly ListingChange[]): number | undefined {
  const own: RegisterName = `stock:${warehouse}`;
  const candidates = all.flatMap((each) => {
    const isOwn = each.values[own] !== undefined;
    const value = each.values[own] ?? each.values.stock;
    return value === undefined || value === null ? [] : [{ version: each.version, isOwn, value }];
  });
  const [newest] = candidates.sort(
    (a, b) => b.version - a.version || Number(b.isOwn) - Number(a.isOwn) || a.value - b.value,
  );
  return newest?.value;
}

/** The desired values, without their history. */
function valuesOf(listing: Listing | undefined): object {
  const entries = registerEntries(listing?.desired ?? {});
  return Object.fromEntries(entries.map(([name, { value, version }]) => [name, { value, version }]));
}

function effectiveStock(listing: Listing | undefined, warehouse: string): number | null | undefined {
  return (listing?.desired[`stock:${warehouse}`] ?? listing?.desired.stock)?.value;
}

describe('mergeChange', () => {
  test('ends at the same values for any order and repetition of changes', () => {
    fc.assert(
      fc.property(
        changes.chain((all) =>
          fc.tuple(fc.constant(all), fc.shuffledSubarray([...all, ...all], { minLength: all.length * 2 })),
        ),
        ([inOrder, shuffled]) => {
          const one = mergeAll(inOrder.map((each) => change(each.version, each.values)));
          const other = mergeAll(shuffled.map((each) => change(each.version, each.values)));
          expect(valuesOf(other)).toEqual(valuesOf(one));
        },
      ),
    );
  });

  test('gives each warehouse the newest of its own and the global values', () => {
    fc.assert(
      fc.property(changes, (all) => {
        const merged = mergeAll(all.map((each) => change(each.version, each.values)));
        const expected = all.map((each) => change(each.version, each.values));
        expect(effectiveStock(merged, 'wh-1')).toBe(newestFor('wh-1', expected));
        expect(effectiveStock(merged, 'wh-2')).toBe(newestFor('wh-2', expected));
      }),
    );
  });

  test('distinguishes a repeat from a stale value', () => {
    const listing = mergeAll([change(2, { stock: 5 })]);
    expect(mergeChange(listing, change(2, { stock: 5 }), NOW)).toEqual({ result: 'unchanged', stale: 0 });
    expect(mergeChange(listing, change(1, { stock: 5 }), NOW)).toEqual({ result: 'unchanged', stale: 1 });
  });

  test('uses a base value when the register has none, and any other value over it', () => {
    const special = { ...change(5, { specialPrice: 8 }), base: { price: 10 } };
    const none = { specialPrice: { value: 8, version: 5 } };
    expect(mergeAll([special])?.desired).toMatchObject({ ...none, price: { value: 10 } });
    for (const order of [
      [special, change(1, { price: 11 })],
      [change(1, { price: 11 }), special],
    ]) {
      expect(mergeAll(order)?.desired).toEqual({ ...none, price: { value: 11, version: 1 } });
    }
  });

  test('uses the newest base value, which waits again, and that of no stale or repeated change', () => {
    const special = (version: number, price: number) => ({
      ...change(version, { specialPrice: 8 - version }),
      base: { price },
    });
    const first = mergeAll([special(2, 10)]);
    const sent = first && settleRegisters(first, first.desired, { outcome: 'accepted' }, NOW);
    const all = [special(3, 12), special(3, 13), special(1, 14)];
    const merged = all.reduce((listing, each) => {
      const merge = mergeChange(listing, each, NOW);
      return merge.result === 'changed' ? merge.listing : listing;
    }, sent);
    expect(merged?.desired.price?.value).toBe(12);
    expect(merged && nextStep(merged)).toMatchObject({ registers: ['specialPrice', 'price'] });
    expect(mergeAll([...all, change(0, { price: 11 })])?.desired.price).toEqual({ value: 11, version: 0 });
  });

  test('keeps the special price when only the price changes', () => {
    const listing = mergeAll([change(1, { price: 10, specialPrice: 8 }), change(2, { price: 11 })]);
    expect(listing?.desired).toEqual({
      price: { value: 11, version: 2 },
      specialPrice: { value: 8, version: 1 },
    });
  });

  test.each<[string, ListingChange['values'], ListingChange['values'], RegisterName, number | null]>([
    ['the smaller stock', { stock: 5 }, { stock: 3 }, 'stock', 3],
    ['the smaller price', { price: 5 }, { price: 3 }, 'price', 3],
    ['a special price over none', { specialPrice: null }, { specialPrice: 3 }, 'specialPrice', 3],
  ])('prefers %s at equal versions', (_, one, other, register, value) => {
    for (const order of [
      [one, other],
      [other, one],
    ]) {
      expect(mergeAll(order.map((each) => change(1, each)))?.desired[register]?.value).toBe(value);
    }
  });

  test('refuses a change with the other kind of version', () => {
    const listing = mergeAll([change(1, { stock: 5 })]);
    const merge = mergeChange(listing, { ...change(2, { stock: 6 }), versionKind: 'time' }, NOW);
    expect(merge).toMatchObject({ result: 'rejected', code: 'VERSION_KIND' });
  });

  test('refuses more warehouses than a listing can hold, in any number of changes', () => {
    const ownStock = (from: number, count: number): ListingChange['values'] =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`stock:wh-${from + index}`, 1]));
    const listing = mergeAll([change(1, ownStock(0, 500))]);
    expect(Object.keys(listing?.desired ?? {})).toHaveLength(500);
    const merge = mergeChange(listing, change(2, ownStock(500, 1)), NOW);
    expect(merge).toMatchObject({ result: 'rejected', code: 'TOO_MANY_WAREHOUSES' });
    expect(mergeChange(listing, change(2, ownStock(0, 500)), NOW)).toMatchObject({ result: 'changed' });
    expect(mergeChange(listing, change(2, { stock: 5, ...ownStock(500, 1) }), NOW)).toMatchObject({
      result: 'changed',
    });
  });

  test('sets waitingSince to the time of the first unsent change', () => {
    const first = mergeChange(undefined, change(1, { stock: 5 }), NOW);
    if (first.result !== 'changed') throw new Error('not merged');
    const second = mergeChange(first.listing, change(2, { stock: 6 }), NOW + 1000);
    expect(second).toMatchObject({ listing: { waitingSince: NOW } });
  });
});

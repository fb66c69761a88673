import { describe, expect, test } from 'vitest';
import type { SandboxProduct } from '../../../local/run/sandbox-controls.ts';
import type { Change, PriceFields, StockFields } from '../../../tools/chaos/changes.ts';
import { priceOfVersion, specialOfVersion, stockOfVersion } from '../../../tools/chaos/changes.ts';
import { faultsOf } from '../../../tools/chaos/history.ts';

const time = '2026-01-01T00:00:00.000Z';

interface Seen {
  /** Global stock, or the stock of the warehouse with this clientId. */
  readonly stock?: readonly (number | { clientId: string; stock: number })[];
  readonly price?: readonly { price: number; specialPrice: number | null }[];
}

/** A product that began with a stock of 10 and a price of 100. */
function product({ stock = [], price = [] }: Seen = {}): SandboxProduct {
  const warehouses = stock.some((entry) => typeof entry === 'object');
  const first = warehouses
    ? ['wh-1', 'wh-2'].map((clientId) => ({ clientId, stock: 10 }))
    : [{ clientId: null, stock: 10 }];
  const later = stock.map((entry) => (typeof entry === 'object' ? entry : { clientId: null, stock: entry }));
  const history = {
    stock: [...first, ...later].map((entry) => ({ ...entry, time })),
    price: [{ price: 100, specialPrice: null }, ...price].map((entry) => ({ ...entry, time })),
  };
  return { id: 'id', sku: 'A', externalId: 'e', name: 'A', price: 100, stock: 10, history };
}

const stock = (version: number, item: StockFields): Change => changed('stock.changed', version, item);
const price = (version: number, item: PriceFields): Change => changed('price.changed', version, item);

function changed(detailType: Change['detailType'], version: number, item: Change['item']): Change {
  return { storeClientId: 'store', sku: 'A', version, detailType, item };
}

const stocks = [1, 2, 3].map((version) => stock(version, { stock: stockOfVersion(version) }));

describe('faultsOf accepts', () => {
  test('stock for the warehouses that a change lists', () => {
    const [one, two] = [1, 2].map(stockOfVersion) as [number, number];
    const seen = product({
      stock: [
        { clientId: 'wh-1', stock: one },
        { clientId: 'wh-2', stock: one },
        { clientId: 'wh-2', stock: two },
      ],
    });
    expect(
      faultsOf(seen, [
        stock(1, { stock: one, warehouses: ['wh-1', 'wh-2'] }),
        stock(2, { stock: two, warehouses: ['wh-2'] }),
      ]),
    ).toEqual([]);
  });

  test('a product without changes', () => {
    expect(faultsOf(product(), [])).toEqual([]);
  });

  test('a newest value after some of the others, in their order', () => {
    expect(faultsOf(product({ stock: [stockOfVersion(1), stockOfVersion(3)] }), stocks)).toEqual([]);
  });

  test('a value that arrived twice in a row', () => {
    expect(faultsOf(product({ stock: [stockOfVersion(3), stockOfVersion(3)] }), stocks)).toEqual([]);
  });

  test('a zero that is the newest again', () => {
    const changes = [
      ...stocks,
      stock(4, { stock: 0 }),
      stock(5, { stock: stockOfVersion(5) }),
      stock(6, { stock: 0 }),
    ];
    const seen = product({ stock: [stockOfVersion(2), 0, stockOfVersion(5), 0] });
    expect(faultsOf(seen, changes)).toEqual([]);
  });

  test('a special price that a change of the price alone kept', () => {
    const changes = [
      price(1, { price: priceOfVersion(1), specialPrice: specialOfVersion(1) }),
      price(2, { price: priceOfVersion(2) }),
    ];
    const seen = product({
      price: [{ price: priceOfVersion(2), specialPrice: specialOfVersion(1) }],
    });
    expect(faultsOf(seen, changes)).toEqual([]);
  });
});

describe('faultsOf reports', () => {
  test('a newest value that never arrived', () => {
    expect(faultsOf(product({ stock: [stockOfVersion(1)] }), stocks)).toEqual([
      `A stock  ends at ${stockOfVersion(1)}, the newest is ${stockOfVersion(3)}`,
    ]);
  });

  test('a product that nothing reached', () => {
    expect(faultsOf(product(), stocks)).toEqual([`A stock  ends at 10, the newest is ${stockOfVersion(3)}`]);
  });

  test('an older value after the newest, also when the newest came again at the end', () => {
    const seen = product({ stock: [stockOfVersion(3), stockOfVersion(2), stockOfVersion(3)] });
    expect(faultsOf(seen, stocks)).toEqual([`A stock  went back to ${stockOfVersion(2)} after version 3`]);
  });

  test('an older zero after a newer value', () => {
    const changes = [stock(1, { stock: 0 }), ...stocks.slice(1)];
    const seen = product({ stock: [stockOfVersion(2), 0, stockOfVersion(3)] });
    expect(faultsOf(seen, changes)).toEqual(['A stock  went back to 0 after version 2']);
  });

  test('a value that was never sent', () => {
    expect(faultsOf(product({ stock: [77, stockOfVersion(3)] }), stocks)).toEqual([
      'A stock  went back to 77 after version 0',
    ]);
  });

  test('a wrong value in one warehouse only', () => {
    const changes = [
      stock(1, { stock: stockOfVersion(1) }),
      stock(2, { warehouses: [{ clientId: 'wh-2', stock: stockOfVersion(2) }] }),
    ];
    const both = (last: number) =>
      product({
        stock: [
          { clientId: 'wh-1', stock: stockOfVersion(1) },
          { clientId: 'wh-2', stock: stockOfVersion(2) },
          { clientId: 'wh-2', stock: stockOfVersion(last) },
        ],
      });
    expect(faultsOf(both(2), changes)).toEqual([]);
    expect(faultsOf(both(1), changes)).toEqual([
      `A stock wh-2 ends at ${stockOfVersion(1)}, the newest is ${stockOfVersion(2)}`,
      `A stock wh-2 went back to ${stockOfVersion(1)} after version 2`,
    ]);
  });

  test('a price and a special price that are not the newest', () => {
    const changes = [price(1, { price: priceOfVersion(1), specialPrice: specialOfVersion(1) })];
    expect(faultsOf(product(), changes)).toEqual([
      `A price ends at 100, the newest is ${priceOfVersion(1)}`,
      `A specialPrice ends at null, the newest is ${specialOfVersion(1)}`,
    ]);
  });

  test('a special price that was not cleared', () => {
    const changes = [
      price(1, { price: priceOfVersion(1), specialPrice: specialOfVersion(1) }),
      price(2, { price: priceOfVersion(2), specialPrice: null }),
    ];
    const seen = product({ price: [{ price: priceOfVersion(2), specialPrice: specialOfVersion(1) }] });
    expect(faultsOf(seen, changes)).toEqual([
      `A specialPrice ends at ${specialOfVersion(1)}, the newest is null`,
    ]);
  });
});

import { describe, expect, test } from 'vitest';
import { type ReconcileOptions, reconcile } from '../../../shared/drift/use-cases/reconcile.ts';
import type { CallOptions } from '../../../shared/marketplace/options.ts';
import type { Product } from '../../../shared/marketplace/products.ts';
import { failure } from '../support/failure.ts';

const NOW = Date.UTC(2026, 10, 22);
const ID = '7f9c24e5-2c3a-4f0e-9d6b-1a2b3c4d5e6f';
const names = { products: 'sku', orders: 'orderId' } as const;
const store = { storeClientId: 's-1', storeToken: 'token', names };
const product = (fields: object) => ({ data: { id: ID, ...fields } as Product }) as never;

function setUp(products: Readonly<Record<string, object | Error>>) {
  const sent: { detailType: string; detail: object }[] = [];
  const read = async (name: string) => {
    const found = products[name] ?? failure('PRD_014');
    if (found instanceof Error) throw found;
    return product(found);
  };
  const ports = {
    marketplace: {
      getProductBySku: (_: object, { sku }: { sku: string }) => read(sku),
      getProduct: (_: object, { productId }: { productId: string }) => read(productId),
    },
    changesQueue: {
      send: async (bodies: readonly string[]) => {
        for (const body of bodies) {
          const { 'detail-type': detailType, detail } = JSON.parse(body);
          sent.push({ detailType, detail });
        }
      },
    },
  };
  const runIn = (
    one: Parameters<typeof reconcile>[1],
    items: readonly Record<string, unknown>[],
    options: Partial<ReconcileOptions> = {},
  ) =>
    reconcile(ports, one, items, { apply: false, eventId: 'e-1', now: NOW, ...options }, {} as CallOptions);
  return { run: runIn.bind(undefined, store), runIn, sent };
}

describe('reconcile', () => {
  test('reports differences, equal and missing products, and sends nothing by default', async () => {
    const { run, sent } = setUp({
      A: { sku: 'A', price: 10, stock: 5 },
      B: { sku: 'B', price: 10, specialPrice: 8, stock: 5 },
    });
    const report = await run([
      { sku: 'A', price: 10, stock: 5 },
      { sku: 'B', price: 10, specialPrice: null, stock: 4 },
      { sku: 'C', stock: 1 },
    ]);
    expect(report).toEqual({
      differences: [
        { target: 'sku:B', register: 'specialPrice', wanted: null, live: 8 },
        { target: 'sku:B', register: 'stock', wanted: 4, live: 5 },
      ],
      equal: ['sku:A'],
      missing: ['sku:C'],
      unread: [],
      invalid: [],
      sent: 0,
    });
    expect(sent).toEqual([]);
  });

  test('sends only the prices and the stock that differ, at the given version', async () => {
    const { run, sent } = setUp({
      A: { sku: 'A', price: 10, stock: 5 },
      B: { sku: 'B', price: 11, stock: 5 },
    });
    const items = [
      { sku: 'A', price: 10, stock: 6 },
      { sku: 'B', price: 10, stock: 5 },
    ];
    expect(await run(items, { apply: true, version: 7 })).toMatchObject({ sent: 2 });
    expect(sent).toEqual([
      {
        detailType: 'price.changed',
        detail: { storeClientId: 's-1', version: 7, items: [{ sku: 'B', price: 10 }] },
      },
      {
        detailType: 'stock.changed',
        detail: { storeClientId: 's-1', version: 7, items: [{ sku: 'A', stock: 6 }] },
      },
    ]);
    await run(items, { apply: true });
    expect(sent.at(-1)?.detail).toMatchObject({ occurredAt: new Date(NOW).toISOString() });
  });

  test('sends no item by another name than its store’s, which would be rejected later', async () => {
    const { run, sent } = setUp({ [ID]: { sku: 'B', price: 11 } });
    const items = [{ id: ID, price: 10 }];
    expect(await run(items)).toMatchObject({ differences: [{ target: `id:${ID}` }], invalid: [] });
    expect(await run(items, { apply: true })).toMatchObject({
      differences: [],
      invalid: [{ index: 0, field: 'id', message: expect.stringContaining('names its products by sku') }],
      sent: 0,
    });
    expect(sent).toEqual([]);
  });

  const oversold = [
    { sku: 'A', stock: -1 },
    { sku: 'B', warehouses: [{ clientId: 'w-1', stock: -2 }] },
  ];

  test.each([undefined, 'reject'] as const)(
    'compares and sends no negative stock, as in files, unless the store takes it as 0 (negativeStock %s)',
    async (negativeStock) => {
      const { runIn, sent } = setUp({ A: { sku: 'A', stock: 5 }, B: { sku: 'B', stock: 5 } });
      const report = await runIn({ ...store, negativeStock }, oversold, { apply: true });
      expect(report).toMatchObject({
        differences: [],
        invalid: [
          { index: 0, field: 'stock', message: expect.stringMatching(/^the stock -1 is negative/) },
          { index: 1, field: 'stock', message: expect.stringMatching(/^the stock -2 is negative/) },
        ],
        sent: 0,
      });
      expect(sent).toEqual([]);
    },
  );

  test('compares a negative stock as 0 where the store takes it as that', async () => {
    const { runIn, sent } = setUp({ A: { sku: 'A', stock: 5 }, B: { sku: 'B', stock: 0 } });
    const items = ['A', 'B'].map((sku) => ({ sku, stock: -1 }));
    expect(await runIn({ ...store, negativeStock: 'zero' }, items, { apply: true })).toMatchObject({
      differences: [{ target: 'sku:A', register: 'stock', wanted: 0, live: 5 }],
      equal: ['sku:B'],
      invalid: [],
    });
    expect(sent).toMatchObject([
      { detailType: 'stock.changed', detail: { items: [{ sku: 'A', stock: -1 }] } },
    ]);
  });

  test('counts a value that the product does not show as different', async () => {
    const { run } = setUp({ A: { sku: 'A', price: 10 } });
    expect(await run([{ sku: 'A', stock: 5 }])).toMatchObject({
      differences: [{ target: 'sku:A', register: 'stock', wanted: 5 }],
      equal: [],
    });
  });

  test('leaves targets unread whose read failed, and compares the others', async () => {
    const { run } = setUp({
      A: failure('TIMEOUT', { outcome: 'unknown' }),
      B: { sku: 'B', stock: 5 },
    });
    const items = [
      { sku: 'A', stock: 5 },
      { sku: 'B', stock: 5 },
    ];
    expect(await run(items)).toMatchObject({ unread: ['sku:A'], equal: ['sku:B'] });
  });

  test('calls an item invalid whose read can never be sent, with the reason', async () => {
    const { run } = setUp({ '..': failure('REQUEST_INVALID', { outcome: 'not-sent' }) });
    expect(await run([{ sku: '..', stock: 5 }])).toMatchObject({
      unread: [],
      invalid: [{ index: 0, field: 'sku', message: expect.any(String) }],
    });
  });

  test('fails if the marketplace refuses the credentials of the store', async () => {
    const { run } = setUp({ A: failure('AUTH_014') });
    await expect(run([{ sku: 'A', stock: 5 }])).rejects.toMatchObject({ code: 'AUTH_014' });
  });

  test.each([
    [{ sku: 'A' }, '', 'must have a price'],
    [{ sku: 'A', stock: 1.5 }, 'stock', 'whole number'],
    [{ stock: 1 }, 'sku', 'exactly one of'],
    [{ externalId: ID, stock: 1 }, 'externalId', 'sku or id'],
    [{ sku: 'A', stock: 1, colour: 'red' }, '', 'colour'],
  ])('names the rule of an invalid item, and compares the others: %j', async (item, field, message) => {
    const { run } = setUp({ B: { sku: 'B', stock: 5 } });
    const report = await run([item, { sku: 'B', stock: 5 }]);
    expect(report.invalid).toEqual([{ index: 0, field, message: expect.stringContaining(message) }]);
    expect(report.equal).toEqual(['sku:B']);
  });
});

import { describe, expect, test, vi } from 'vitest';
import { performProductCommand } from '../../../../shared/products/use-cases/perform-product-command.ts';
import { simpleProduct, skuOf, variantProduct } from '../../../run/catalog.ts';
import { fail } from '../../support/failure.ts';
import { accept, connectedStore, NOW, productPorts, type Reply } from '../product-ports.ts';

function setUp(atMarketplace: string[], remembered?: string[], replies: Reply[] = []) {
  const { seen, ports } = productPorts(replies);
  seen.warehouses.push(...atMarketplace);
  const store = seen.stores.get('s-1');
  if (store !== undefined && remembered !== undefined) {
    const readAt = new Date(NOW - 60_000).toISOString();
    seen.stores.set('s-1', { ...store, warehouses: { clientIds: remembered, readAt } });
  }
  let commands = 0;
  const deliver = (commandId: string, products: readonly unknown[]) => {
    const detail = { storeClientId: 's-1', commandId, products };
    const body = JSON.stringify({ id: 'e-1', 'detail-type': 'catalog.sync.requested', detail });
    return performProductCommand(ports, { body, messageId: 'm-1', sentAt: NOW });
  };
  const sync = (...products: unknown[]) => {
    commands += 1;
    return deliver(`c-${commands}`, products);
  };
  const calls = () => seen.sent.map(({ call, products }) => [call, products.length]);
  const sentSkus = () => seen.sent.map(({ products }) => products.map(({ sku }) => sku));
  return { seen, ports, sync, deliver, calls, sentSkus };
}

const inWarehouse = (number: number, clientId: string) => {
  const { stock: _, ...product } = simpleProduct(number);
  return { ...product, warehouses: [{ clientId, stock: 1 }] };
};

test('a product that names a warehouse which the store does not have is rejected by itself', async () => {
  const { seen, sync, calls } = setUp(['wh-1'], ['wh-1']);
  expect(await sync(inWarehouse(1, 'wh-1'), inWarehouse(2, 'wh-9'))).toMatchObject({ rejected: 1 });
  expect(calls()).toEqual([
    ['listWarehouses', 0],
    ['syncCatalog', 1],
  ]);
  expect(seen.rejections).toMatchObject([
    {
      code: 'ROW_INVALID',
      rowIndex: 1,
      field: 'detail.products.1.warehouses.0',
      details: { problems: [{ rule: 'WAREHOUSE_UNKNOWN' }] },
    },
  ]);
});

test('a variant is checked like a product, in a store without warehouses too', async () => {
  const { seen, sync } = setUp([], []);
  const product = variantProduct(1);
  const [{ stock: _, ...first } = { stock: 0 }, ...others] = product.variants.items;
  const items = [{ ...first, warehouses: [{ clientId: 'wh-1', stock: 1 }] }, ...others];
  await sync({ ...product, variants: { ...product.variants, items } });
  expect(seen.rejections).toMatchObject([{ details: { problems: [{ rule: 'NO_WAREHOUSES' }] } }]);
});

test('remembered warehouses are not read again while they have every one that is named', async () => {
  const { sync, calls } = setUp(['wh-1'], ['wh-1']);
  await sync(inWarehouse(1, 'wh-1'));
  expect(calls()).toEqual([['syncCatalog', 1]]);
});

test('remembered warehouses that lack a named one are read anew and remembered', async () => {
  const { seen, sync, calls } = setUp(['wh-1', 'wh-2'], ['wh-1']);
  await sync(inWarehouse(1, 'wh-2'));
  expect(calls()).toEqual([
    ['listWarehouses', 0],
    ['syncCatalog', 1],
  ]);
  expect(seen.stores.get('s-1')?.warehouses?.clientIds).toEqual(['wh-1', 'wh-2']);
});

test('products that name no warehouse ask for none', async () => {
  const { sync, calls } = setUp(['wh-1']);
  await sync(simpleProduct(1));
  expect(calls()).toEqual([['syncCatalog', 1]]);
});

const gone = { reason: 'WAREHOUSE_NOT_FOUND', validationErrors: { warehouses: 'unknown clientId wh-1' } };

test.each<[string, Reply]>([
  ['a row', accept('b-1', [{ code: 'VAL_001', message: 'no', rowIndex: 0, details: { context: gone } }])],
  ['the request', fail({ code: 'VAL_001', context: gone })],
])('remembered warehouses are read anew after %s was rejected for them', async (_, reply) => {
  const { sync, calls } = setUp(['wh-2'], ['wh-1'], [reply]);
  await sync(inWarehouse(1, 'wh-1'));
  expect(await sync(inWarehouse(2, 'wh-1'))).toMatchObject({ requests: 0, rejected: 1 });
  expect(calls()).toEqual([
    ['syncCatalog', 1],
    ['listWarehouses', 0],
  ]);
});

test('remembered warehouses are kept when a row was rejected for something else', async () => {
  const error = { code: 'VAL_001', message: 'no', rowIndex: 0, details: { context: { reason: 'NAME' } } };
  const { sync, calls } = setUp(['wh-1'], ['wh-1'], [accept('b-1', [error])]);
  await sync(inWarehouse(1, 'wh-1'));
  await sync(inWarehouse(2, 'wh-1'));
  expect(calls()).toEqual([
    ['syncCatalog', 1],
    ['syncCatalog', 1],
  ]);
});

describe('a command that comes again after the warehouses of its store have changed', () => {
  const busy = Array.from({ length: 6 }, () => fail({ code: 'SYS_DEP_503', retryable: true }));
  const refuse = fail({ code: 'VAL_001', context: gone });

  test('goes on with the same halves', async () => {
    const replies = [refuse, refuse, refuse, accept('b-2'), ...busy, accept('b-3')];
    const { seen, deliver, sentSkus } = setUp(['wh-1'], ['wh-1', 'wh-9'], replies);
    const products = [inWarehouse(1, 'wh-9'), ...[2, 3, 4].map((number) => inWarehouse(number, 'wh-1'))];
    expect(await deliver('c-1', products)).toMatchObject({ putOff: 'SYS_DEP_503' });
    await deliver('c-1', products);
    expect(sentSkus().at(-1)).toEqual([3, 4].map(skuOf));
    expect(seen.rejections).toMatchObject([{ rowIndex: 0, code: 'VAL_001' }]);
    expect([...seen.batches.values()].map(({ rows }) => rows.sent)).toEqual([1, 2]);
  });

  test('tells of its rows what it told before', async () => {
    const { seen, deliver, sentSkus } = setUp(['wh-1'], ['wh-1'], [...busy, accept('b-1')]);
    const products = [inWarehouse(1, 'wh-9'), inWarehouse(2, 'wh-1')];
    await deliver('c-1', products);
    seen.warehouses.push('wh-9');
    expect(await deliver('c-1', products)).toMatchObject({ requests: 1, rejected: 1 });
    expect(sentSkus().at(-1)).toEqual([skuOf(2)]);
    expect(seen.rejections).toMatchObject([{ rowIndex: 0, code: 'ROW_INVALID' }]);
  });

  test('leaves it to the marketplace to refuse a row that was good at first', async () => {
    const { seen, deliver, sentSkus } = setUp(['wh-1', 'wh-2'], ['wh-1'], [...busy, accept('b-1')]);
    const products = [inWarehouse(1, 'wh-9'), inWarehouse(2, 'wh-2'), inWarehouse(3, 'wh-1')];
    await deliver('c-1', products);
    seen.warehouses.pop();
    await deliver('c-1', products);
    expect(sentSkus().at(-1)).toEqual([2, 3].map(skuOf));
  });

  test('does not read them again', async () => {
    const { deliver, calls } = setUp(['wh-1'], [], [...busy, accept('b-1')]);
    await deliver('c-1', [inWarehouse(1, 'wh-1')]);
    await deliver('c-1', [inWarehouse(1, 'wh-1')]);
    expect(calls().filter(([call]) => call === 'listWarehouses')).toHaveLength(1);
  });

  test('reports the rows that it left out when it died before that', async () => {
    const { seen, deliver, ports } = setUp(['wh-1'], ['wh-1']);
    const products = [inWarehouse(1, 'wh-9'), inWarehouse(2, 'wh-1')];
    vi.spyOn(ports.events, 'publish').mockRejectedValueOnce(new Error('the bus is away'));
    await expect(deliver('c-1', products)).rejects.toThrow('the bus is away');
    seen.warehouses.push('wh-9');
    await deliver('c-1', products);
    expect(seen.events.filter(({ detailType }) => detailType === 'rows.rejected')).toMatchObject([
      { detail: { rows: [{ rowIndex: 0, code: 'ROW_INVALID' }] } },
    ]);
  });

  test('and after it was discarded: only rows that were not sent are dropped', async () => {
    const replies = [fail({ code: 'VAL_001' }), accept('b-1'), ...busy];
    const { seen, deliver } = setUp(['wh-1'], ['wh-1'], replies);
    const products = [inWarehouse(1, 'wh-9'), ...[2, 3, 4].map((number) => inWarehouse(number, 'wh-1'))];
    await deliver('c-1', products);
    seen.stores.set('s-1', { ...connectedStore('s-1'), discardedAt: new Date(NOW).toISOString() });
    await deliver('c-1', products);
    expect(seen.rejections.map(({ sku, code }) => [sku, code])).toEqual([
      [skuOf(1), 'ROW_INVALID'],
      [skuOf(4), 'COMMAND_DISCARDED'],
    ]);
  });

  test('and was discarded while it waited for its store tells of every row once', async () => {
    const { seen, deliver } = setUp(['wh-1'], ['wh-1']);
    const products = [inWarehouse(1, 'wh-9'), inWarehouse(2, 'wh-1')];
    seen.stores.set('s-1', { ...connectedStore('s-1'), state: 'suspended' });
    await deliver('c-1', products);
    seen.stores.set('s-1', { ...connectedStore('s-1'), discardedAt: new Date(NOW).toISOString() });
    await deliver('c-1', products);
    await deliver('c-1', products);
    expect(seen.rejections.map(({ rowIndex, code }) => [rowIndex, code])).toEqual([
      [0, 'COMMAND_DISCARDED'],
      [1, 'COMMAND_DISCARDED'],
    ]);
  });
});

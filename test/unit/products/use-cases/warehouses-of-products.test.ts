import { expect, test } from 'vitest';
import { performProductCommand } from '../../../../shared/products/use-cases/perform-product-command.ts';
import { simpleProduct, variantProduct } from '../../../run/catalog.ts';
import { accept, fail, NOW, productPorts, type Reply } from '../product-ports.ts';

function setUp(atMarketplace: string[], remembered?: string[], replies: Reply[] = []) {
  const { seen, ports } = productPorts(replies);
  seen.warehouses.push(...atMarketplace);
  const store = seen.stores.get('s-1');
  if (store !== undefined && remembered !== undefined) {
    const readAt = new Date(NOW - 60_000).toISOString();
    seen.stores.set('s-1', { ...store, warehouses: { clientIds: remembered, readAt } });
  }
  let commands = 0;
  const sync = (...products: unknown[]) => {
    commands += 1;
    const detail = { storeClientId: 's-1', commandId: `c-${commands}`, products };
    const body = JSON.stringify({ id: 'e-1', 'detail-type': 'catalog.sync.requested', detail });
    return performProductCommand(ports, { body, messageId: 'm-1', sentAt: NOW });
  };
  const calls = () => seen.sent.map(({ call, products }) => [call, products.length]);
  return { seen, sync, calls };
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

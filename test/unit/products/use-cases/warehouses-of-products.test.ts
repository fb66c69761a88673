import { expect, test } from 'vitest';
import { performProductCommand } from '../../../../shared/products/use-cases/perform-product-command.ts';
import { simpleProduct, variantProduct } from '../../../run/catalog.ts';
import { NOW, productPorts } from '../product-ports.ts';

function setUp(atMarketplace: string[], remembered?: string[]) {
  const { seen, ports } = productPorts();
  seen.warehouses.push(...atMarketplace);
  const store = seen.stores.get('s-1');
  if (store !== undefined && remembered !== undefined) {
    const readAt = new Date(NOW - 60_000).toISOString();
    seen.stores.set('s-1', { ...store, warehouses: { clientIds: remembered, readAt } });
  }
  const sync = (...products: unknown[]) => {
    const detail = { storeClientId: 's-1', commandId: 'c-1', products };
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

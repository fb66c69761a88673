import { expect, it } from 'vitest';
import { externalId, useSandbox } from '../sandbox.ts';

const sandbox = useSandbox();
const PATH = '/stores/store-2wh/products';

async function create(sku: string): Promise<void> {
  const body = { products: [{ externalId: externalId(1), name: sku, sku, price: 5, stock: 3 }] };
  await sandbox.call('POST /partner/stores/products/bulk', { store: 'store-2wh', body });
  await sandbox.idle();
}

const shown = async (sku: string) => {
  const { json } = await sandbox.call(`GET /partner/stores/products/sku/${sku}`, { store: 'store-2wh' });
  const { price, specialPrice, warehouses } = json.data;
  return { price, specialPrice, stocks: warehouses.map(({ stock }: { stock: number }) => stock) };
};

it('an edit changes only the values that it names, with their history', async () => {
  await create('A');
  await sandbox.control(`PUT ${PATH}/A`, { specialPrice: 4 });
  expect(await shown('A')).toEqual({ price: 5, specialPrice: 4, stocks: [3, 3] });
  await sandbox.control(`PUT ${PATH}/A`, { price: 6, warehouses: [{ clientId: 'wh-2', stock: 9 }] });
  expect(await shown('A')).toEqual({ price: 6, specialPrice: 4, stocks: [3, 9] });
});

it('an edit of a warehouse that the store does not have is refused', async () => {
  await create('A');
  const refused = await sandbox.control(`PUT ${PATH}/A`, { warehouses: [{ clientId: 'no', stock: 9 }] });
  expect(refused.status).toBe(400);
  expect((await sandbox.control(`PUT ${PATH}/B`, { price: 1 })).status).toBe(404);
});

it('a removed product is gone', async () => {
  await create('A');
  await sandbox.control(`DELETE ${PATH}/A`);
  const { json } = await sandbox.call('GET /partner/stores/products/sku/A', { store: 'store-2wh' });
  expect(json.error.code).toBe('PRD_014');
});

it('an ignored call is accepted and has no effect', async () => {
  await create('A');
  await sandbox.control('POST /faults', { path: '/partner/stores/inventory', fault: { ignored: true } });
  const body = { items: [{ sku: 'A', stock: 8 }] };
  const answer = await sandbox.call('PATCH /partner/stores/inventory', { store: 'store-2wh', body });
  expect(answer.json.data.acceptedRows).toHaveLength(1);
  await sandbox.idle();
  expect((await shown('A')).stocks).toEqual([3, 3]);
});

import { expect, test } from 'vitest';
import { inMemoryListingTable } from '../../doubles/in-memory-listing-table.ts';
import type { Step } from '../../doubles/step.ts';
import { laneWorld } from './lane-world.ts';

const PRODUCTS = 1_000;

test('listings that moved to another priority while they waited are not read with each request', async () => {
  const world = laneWorld();
  await world.connect();
  let read = 0;
  const step: Step = async (operation, effect) => {
    const [name, , ...targets] = operation.split(' ');
    if (name === 'listings.getMany') read += targets.length;
    return effect();
  };
  Object.assign(world.ports, { listings: inMemoryListingTable(step, undefined, world.clock) });
  const skus = Array.from({ length: PRODUCTS }, (_, index) => `SKU-${index}`);
  await world.change(
    'stock.changed',
    1,
    skus.map((sku) => ({ sku, stock: 5 })),
  );
  await world.change(
    'price.changed',
    1,
    skus.map((sku) => ({ sku, price: 100 })),
  );
  read = 0;
  const report = await world.push(120_000);

  expect(report).toMatchObject({ ended: 'drained', rows: 2 * PRODUCTS });
  expect(read).toBeLessThan(5 * PRODUCTS);
});

test('a listing that moved to another page between two reads is sent once', async () => {
  const world = laneWorld();
  await world.connect();
  const { waiting } = world.ports.listings;
  Object.assign(world.ports.listings, {
    waiting: async function* (...given: Parameters<typeof waiting>) {
      for await (const found of waiting(...given)) {
        yield found;
        yield found;
      }
    },
  });
  await world.change('stock.changed', 1, [{ sku: 'SKU-1', stock: 5 }]);
  await world.push(120_000);

  expect(world.sent.map(({ items }) => items)).toEqual([[{ sku: 'SKU-1', stock: 5 }]]);
});

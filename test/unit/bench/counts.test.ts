import { describe, expect, test } from 'vitest';
import { skuOf } from '../../../local/run/catalog.ts';
import { countedTime } from '../../../tools/bench/intake/growth.ts';
import { laneWorld } from '../lanes/lane-world.ts';

/** Part by which a count may grow while the listings or the stores become many times as many. */
const MOST_GROWTH = 1.2;

describe('1,000 changes', () => {
  test('take as many calls of tables for 10,000 listings as for 1,000', async () => {
    const few = await countedTime({ listings: 1_000, stores: 1 });
    const many = await countedTime({ listings: 10_000, stores: 1 });
    expect(many.calls).toBeLessThanOrEqual(few.calls * MOST_GROWTH);
    expect(many.ms).toBeLessThanOrEqual(few.ms * MOST_GROWTH);
  });

  test('of 100 stores take no more rounds of calls than of one store', async () => {
    const one = await countedTime({ listings: 1_000, stores: 1 });
    const hundred = await countedTime({ listings: 1_000, stores: 100 });
    expect(hundred.ms).toBeLessThanOrEqual(one.ms * MOST_GROWTH);
  });
});

test('4,000 stock and price changes of 200 products that wait together become 4 requests of 100 rows', async () => {
  const world = laneWorld();
  await world.connect();
  for (let version = 1; version <= 10; version += 1) {
    const skus = Array.from({ length: 200 }, (_, number) => skuOf(number + 1));
    await world.change(
      'stock.changed',
      version,
      skus.map((sku) => ({ sku, stock: version })),
    );
    await world.change(
      'price.changed',
      version,
      skus.map((sku) => ({ sku, price: 100 + version })),
    );
  }
  await world.push();
  expect(world.sent.map(({ kind, items }) => [kind, items.length]).sort()).toEqual([
    ['price', 100],
    ['price', 100],
    ['stock', 100],
    ['stock', 100],
  ]);
});

import { expect, test } from 'vitest';
import type { ListingTable } from '../../../shared/listings/ports.ts';
import { failure } from '../support/failure.ts';
import { laneWorld } from './lane-world.ts';

test('a target with an unknown outcome is not sent again by rows that were read before', async () => {
  const world = laneWorld({
    latencyMs: 300,
    reply: () => {
      throw failure('TIMEOUT', { outcome: 'unknown' });
    },
  });
  await world.connect();
  await world.change('stock.changed', 1, [
    { sku: 'A', stock: 5 },
    { sku: 'B', stock: 5 },
  ]);

  // The read after the first request chooses the next rows; its answer takes longer than the request.
  const { waiting } = world.ports.listings;
  let readsInFlight = 0;
  const slowWaiting: ListingTable['waiting'] = async function* (storeClientId, query) {
    for await (const found of waiting(storeClientId, query)) {
      if (world.sent.length === 1 && found.listings.length > 0) readsInFlight += 1;
      if (readsInFlight === 1 && found.listings.length > 0) await world.clock.sleep(1_000);
      yield found;
    }
  };
  Object.assign(world.ports.listings, { waiting: slowWaiting });

  await world.push(60_000, 1);
  expect(readsInFlight).toBeGreaterThanOrEqual(1);
  expect(world.sent.slice(0, 2).map(({ items }) => items)).toEqual([
    [{ sku: 'A', stock: 5 }],
    [{ sku: 'B', stock: 5 }],
  ]);
});

test('a target whose outcome could not be stored is not sent again by a choice of rows that had begun', async () => {
  const world = laneWorld({ latencyMs: 300 });
  await world.connect();
  await world.change('stock.changed', 1, [
    { sku: 'A', stock: 5 },
    { sku: 'B', stock: 5 },
  ]);
  const { update, waiting } = world.ports.listings;
  let isFailing = false;
  Object.assign(world.ports.listings, {
    update: async (...given: Parameters<ListingTable['update']>) => {
      if (!isFailing) return update(...given);
      throw new Error('the table does not answer');
    },
    // The read for the second request begins before the outcome of the first one fails to be stored, and ends after it.
    waiting: async function* (...given: Parameters<ListingTable['waiting']>) {
      if (world.sent.length === 1 && !isFailing) {
        isFailing = true;
        await world.clock.sleep(1_000);
      }
      yield* waiting(...given);
    },
  });

  await expect(world.push(60_000, 1)).rejects.toThrow('the table does not answer');
  expect(world.sent.map(({ items }) => items)).toEqual([[{ sku: 'A', stock: 5 }], [{ sku: 'B', stock: 5 }]]);
});

import { expect, test, vi } from 'vitest';
import { laneWorld } from './lane-world.ts';

/** Milliseconds from the ticket to the request: what its preparation and its permit are planned to take. */
const PLANNED_MS = 200;

test('a change alone leaves 200 ms after its ticket, and so does one half a second later', async () => {
  const world = laneWorld();
  await world.connect();
  const leavesAfterMs: number[] = [];
  for (const [version, pauseMs] of [5_000, 5_000, 500].entries()) {
    await world.clock.run(world.clock.sleep(pauseMs));
    await world.change('stock.changed', version + 1, [{ sku: 'A', stock: 10 + version }]);
    const begunAt = world.clock.now();
    await world.push();
    leavesAfterMs.push((world.sent.at(-1)?.at ?? 0) - begunAt);
  }
  expect(world.sent).toHaveLength(3);
  // The first request of all makes the item of the limit.
  for (const ms of leavesAfterMs.slice(1)) expect(ms).toBeLessThanOrEqual(PLANNED_MS);
});

test('a change alone reads its lane, its store and the hold of its prices once each', async () => {
  const world = laneWorld();
  await world.connect();
  await world.change('price.changed', 1, [{ sku: 'A', price: 10_000 }]);
  const { stores, lanes, guards } = world.ports;
  const reads = [vi.spyOn(stores, 'get'), vi.spyOn(lanes, 'get'), vi.spyOn(guards, 'get')];
  await world.push();
  expect(world.sent).toHaveLength(1);
  for (const read of reads) expect(read).toHaveBeenCalledTimes(1);
});

test('a hold of prices that begins after the last holder stopped keeps them back, and zeros leave in their place', async () => {
  const world = laneWorld();
  await world.connect();
  await world.change('price.changed', 1, [{ sku: 'A', price: 10_000 }]);
  const hold = { since: new Date(world.clock.now()).toISOString(), reason: 'r', changedListings: 1 };
  const readHold = vi.spyOn(world.ports.guards, 'get').mockResolvedValue({ hold } as never);
  expect(await world.push()).toMatchObject({ ended: 'drained' });
  expect(world.sent).toEqual([]);
  // By the last look before the request, and for whether the hold has ended.
  expect(readHold).toHaveBeenCalledTimes(2);
  await world.change('stock.changed', 1, [{ sku: 'B', stock: 0 }]);
  await world.push();
  expect(world.sent.map(({ kind }) => kind)).toEqual(['stock']);
});

import { expect, test } from 'vitest';
import { whileIdle } from '../../../shared/store-names/change-names.ts';
import { laneWorld, STORE } from '../lanes/lane-world.ts';

test('whileIdle holds the lane during the work, and sends a ticket after it', async () => {
  const world = laneWorld();
  await world.connect();
  const report = await whileIdle(world.ports, STORE, async () => {
    await world.change('stock.changed', 1, [{ sku: 'A', stock: 1 }]);
    return world.push();
  });
  expect(report).toMatchObject({ ended: 'held-elsewhere' });
  expect(world.tickets).toHaveLength(2);
  expect(await world.push()).toMatchObject({ requests: 1, leaseExpired: false });
});

test('whileIdle releases the lane also when tickets have come meanwhile', async () => {
  const world = laneWorld();
  await world.connect();
  const { lanes } = world.ports;
  const release: typeof lanes.release = async (...lease) => {
    await lanes.markDirty(STORE);
    return lanes.release(...lease);
  };
  const ports = { ...world.ports, lanes: { ...lanes, release } };
  expect(await whileIdle(ports, STORE, async () => 'done')).toBe('done');
  expect(await lanes.get(STORE)).not.toHaveProperty('leaseId');
  expect(world.tickets).toHaveLength(1);
});

test('whileIdle releases the lane when the work fails, and does nothing when another holds it', async () => {
  const world = laneWorld();
  await world.connect();
  await expect(whileIdle(world.ports, STORE, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  const work = () => whileIdle(world.ports, STORE, async () => 'inner');
  expect(await whileIdle(world.ports, STORE, work)).toBeUndefined();
  expect(await work()).toBe('inner');
});

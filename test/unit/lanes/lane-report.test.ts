import { expect, test } from 'vitest';
import { failure, laneWorld } from './lane-world.ts';

test('a refusal of an unknown kind is told with its code, and the rows are kept', async () => {
  const world = laneWorld({
    reply: () => {
      throw failure('NEW_042', { status: 400, requestId: 'request-1' });
    },
  });
  await world.connect();
  await world.change('stock.changed', 1, [{ sku: 'A', stock: 5 }]);
  expect(await world.push()).toMatchObject({
    ended: 'paused',
    rejections: {},
    refusal: { code: 'NEW_042', message: 'NEW_042', requestId: 'request-1' },
  });
  expect(world.rejections).toEqual([]);
  await world.clock.run(world.clock.sleep(60_000));
  await world.push();
  expect(world.sent.at(-1)?.items).toEqual([{ sku: 'A', stock: 5 }]);
  expect(world.sent).toHaveLength(2);
});

test('a lane that was drained tells of no refusal', async () => {
  const world = laneWorld();
  await world.connect();
  await world.change('stock.changed', 1, [{ sku: 'A', stock: 5 }]);
  expect(await world.push()).not.toHaveProperty('refusal');
});

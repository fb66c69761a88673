import { expect, test } from 'vitest';
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

import { expect, test } from 'vitest';
import { measureLanes } from '../../../tools/bench/limiter/lanes.ts';

test.each([
  { perSecond: 5, stores: 1, ioMs: 20, seconds: 30 },
  { perSecond: 5, stores: 10, ioMs: 20, seconds: 30 },
  { perSecond: 50, stores: 1, ioMs: 20, seconds: 4 },
  { perSecond: 50, stores: 10, ioMs: 20, seconds: 8 },
  { perSecond: 200, stores: 1, ioMs: 20, seconds: 2 },
])(
  'lanes of $stores stores use 95 % of $perSecond requests a second, with tables of $ioMs ms',
  async (given) => {
    const figures = await measureLanes(given.perSecond, given.stores, given);
    expect(figures.utilization).toBeGreaterThanOrEqual(0.95);
    expect(figures.mostInASecond).toBeLessThanOrEqual(given.perSecond);
    expect(figures.longestWaitMs).toBeLessThanOrEqual(2_000);
    expect(figures.failedTickets).toBe(0);
  },
);

test('a hundred waiting lanes all progress, with at most 20 reads and writes of the limit per second', async () => {
  const figures = await measureLanes(5, 100, { ioMs: 10, seconds: 60 });
  expect(figures.utilization).toBeGreaterThanOrEqual(0.95);
  expect(figures.readsPerSecond).toBeLessThanOrEqual(20);
  expect(figures.writesPerSecond).toBeLessThanOrEqual(20);
  expect(figures.longestWaitMs).toBeLessThanOrEqual(2_000);
  expect(figures.fewest).toBeGreaterThanOrEqual(1);
});

test.each([300, 600])(
  'lanes of ten stores all progress while each call of a table takes %i ms, and keep to the rate and its burst',
  async (ioMs) => {
    const figures = await measureLanes(5, 10, { ioMs, seconds: 300 });
    expect(figures.fewest).toBeGreaterThanOrEqual(3);
    expect(figures.mostInASecond).toBeLessThanOrEqual(10);
    expect(figures.failedTickets).toBe(0);
  },
);

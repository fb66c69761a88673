import { expect, test } from 'vitest';
import { wakeLanes } from '../../../shared/lanes/use-cases/wake-lanes.ts';
import { virtualClock } from '../support/virtual-clock.ts';

const LANES = 100_000;
/** Items of 200 bytes in one read of the table, which gives 1 MB at most. */
const PAGES_PER_READ = 5_000;
const READ_MS = 50;
const CALL_MS = 5;
const TICKETS_PER_CALL = 10;
/** The time limit of the lane-waker. */
const WITHIN_MS = 50_000;

test('100,000 lanes with work due get their tickets within one run of the lane-waker, at 5 ms a call', async () => {
  const clock = virtualClock();
  const woken = new Set<string>();
  const begin = clock.now();
  const run = wakeLanes(
    {
      clock,
      pages: {
        list: async ({ cursor = '0' } = {}) => {
          await clock.sleep(READ_MS);
          const first = Number(cursor);
          const pages = Array.from({ length: PAGES_PER_READ }, (_, index) => ({
            storeClientId: `store-${first + index}`,
            page: '3#000000000000001#a',
            targets: ['sku:A'],
            since: 1,
            putAt: 1,
          }));
          const next = first + PAGES_PER_READ;
          return { pages, ...(next < LANES && { cursor: String(next) }) };
        },
      },
      lanes: {
        getMany: async () => {
          await clock.sleep(CALL_MS);
          return new Map();
        },
      },
      tickets: {
        send: async (tickets) => {
          await clock.sleep(CALL_MS * Math.ceil(tickets.length / TICKETS_PER_CALL));
          for (const { storeClientId } of tickets) woken.add(storeClientId);
        },
      },
    },
    {
      onFailure: (error) => {
        throw error;
      },
    },
  );
  expect(await clock.run(run)).toHaveLength(LANES);
  expect(woken.size).toBe(LANES);
  expect(clock.now() - begin).toBeLessThanOrEqual(WITHIN_MS);
});

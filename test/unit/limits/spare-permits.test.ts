import { expect, test } from 'vitest';
import { createLimiter } from '../../../shared/limits/limiter.ts';
import { SparePermits } from '../../../shared/limits/spare-permits.ts';
import { inMemoryLimitTable } from '../../doubles/in-memory-limit-table.ts';

function setUp(budget: number) {
  let now = 1_000_000;
  let ids = 0;
  const clock = {
    now: () => now,
    sleep: async (ms: number) => {
      now += ms;
    },
  };
  const newId = () => {
    ids += 1;
    return String(ids);
  };
  const ports = { limits: inMemoryLimitTable(), clock, newId, random: () => 0.5 };
  const settings = { requestsPerSecond: 5, requestsInFlight: 3, permitLifetimeMs: 30_000, stopMs: 60_000 };
  const others = createLimiter(ports, settings, ['partner']);
  const own = createLimiter(ports, settings, ['partner']);
  const spare = new SparePermits(own, clock, budget);
  /** Takes a permit; `undefined` if there is none. */
  const take = async () => {
    const place = await spare.reserve({ until: now + 2_000 });
    return 'reason' in place ? undefined : place.begin();
  };
  return {
    others: others,
    spare,
    take,
    pass: (ms: number) => void clock.sleep(ms),
    now: () => now,
  };
}

test('a place is taken only if no other caller has reserved an earlier one', async () => {
  const { others, take, pass, now } = setUp(10);
  const queued = await Promise.all([1, 2, 3].map(() => others.reserve({ until: now() + 2_000 })));
  expect(queued.every((place) => !('reason' in place))).toBe(true);
  expect(await take()).toBeUndefined();
  pass(5_000);
  expect(await take()).toBeDefined();
});

test('a permit that is taken uses up the budget, and one that is not does not', async () => {
  const { spare, take, pass, now } = setUp(2);
  const first = await take();
  await first?.release({ status: 200 });
  expect(spare.left).toBe(1);
  await spare.reserve({ until: now() + 2_000 });
  expect(spare.left).toBe(1);
  pass(3_000);
  await (await take())?.release({ status: 200 });
  pass(3_000);
  expect(spare.left).toBe(0);
  expect(await take()).toBeUndefined();
});

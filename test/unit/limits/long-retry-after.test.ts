import { expect, test } from 'vitest';
import { limitWorld, sendAll } from './callers.ts';

const YEAR_MS = 365 * 24 * 3_600_000;
const MINUTE_MS = 60_000;

test('during a Retry-After of a year one request a minute asks whether it still holds, and the first success ends it', async () => {
  const world = limitWorld();
  const begunAt = world.clock.now();
  const endsAt = begunAt + 10 * MINUTE_MS;
  const answer = (at: number) => (at < endsAt ? { status: 429, retryAfterMs: YEAR_MS } : { status: 200 });
  const senders = Array.from({ length: 3 }, () =>
    sendAll(world.newLimiter(), world.clock, { forMs: 15 * MINUTE_MS, latencyMs: 100, answer }),
  );
  const sent = (await world.clock.run(Promise.all(senders))).flat().sort((a, b) => a - b);
  const asking = sent.filter((at) => at < endsAt);
  // The first ones leave before the first answer.
  const later = asking.filter((at) => at > begunAt + MINUTE_MS / 2);
  expect(later.length).toBeGreaterThanOrEqual(8);
  expect(later.length).toBeLessThanOrEqual(10);
  for (const [index, at] of later.entries())
    expect(at - (later[index - 1] ?? 0)).toBeGreaterThanOrEqual(MINUTE_MS - 1_000);
  // Each process learns of it within a minute; the rate is used again well before the end.
  expect(sent.filter((at) => at > endsAt + 3 * MINUTE_MS).length).toBeGreaterThan(100);
  expect((await world.limitNow())?.heldUntil).toBeUndefined();
});

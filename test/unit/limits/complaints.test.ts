import { describe, expect, test } from 'vitest';
import { createLimiter } from '../../../shared/limits/limiter.ts';
import type { Limit } from '../../../shared/limits/model.ts';
import { paceAt, slowDown } from '../../../shared/limits/rules/pace.ts';
import { freshLimit } from '../../../shared/limits/rules/reserve.ts';
import type { PermitOutcome } from '../../../shared/marketplace/options.ts';
import { inMemoryLimitTable } from '../../doubles/in-memory-limit-table.ts';
import { virtualClock } from '../support/virtual-clock.ts';
import { DISTANCE_MS, type Sender, sendAll, settings } from './senders.ts';

/** Of four stores five callers each; the first that leaves after `at` is told of a complaint. */
function crowdWith(complaint: PermitOutcome, at: number): Sender[] {
  let complained = false;
  const answer = (leftAt: number): PermitOutcome => {
    if (complained || leftAt < at) return { status: 200 };
    complained = true;
    return complaint;
  };
  return Array.from({ length: 20 }, (_, index) => ({
    storeClientId: `store-${index % 4}`,
    latencyMs: 20,
    inFlight: 1,
    pauseMs: 0,
    answer,
  }));
}

function within(left: readonly number[], from: number, to: number): number[] {
  return left.filter((at) => at >= from && at < to);
}

describe.each<{ says: string; complaint: PermitOutcome; pauseMs: number }>([
  { says: 'a 429', complaint: { status: 429 }, pauseMs: 1000 },
  { says: 'a 429 with Retry-After', complaint: { status: 429, retryAfterMs: 5000 }, pauseMs: 5000 },
  { says: 'a 503', complaint: { status: 503 }, pauseMs: 1000 },
  { says: 'SYS_DEP_503, whatever its status', complaint: { code: 'SYS_DEP_503' }, pauseMs: 1000 },
  { says: 'a 503 with Retry-After', complaint: { status: 503, retryAfterMs: 4000 }, pauseMs: 4000 },
  { says: 'a Retry-After of anything', complaint: { status: 200, retryAfterMs: 3000 }, pauseMs: 3000 },
])('$says', ({ complaint, pauseMs }) => {
  const COMPLAINT_AT = 5000;

  async function leftOfAll(): Promise<{ left: number[]; toldAt: number }> {
    const senders = crowdWith(complaint, COMPLAINT_AT);
    const left = (await sendAll(senders, { forMs: 40_000, ioMs: 4 })).flat().sort((a, b) => a - b);
    const complainedOf = left.find((at) => at >= COMPLAINT_AT) ?? Number.NaN;
    return { left, toldAt: complainedOf + 20 + 4 };
  }

  test('pauses everyone, those too who have their slot already', async () => {
    const { left, toldAt } = await leftOfAll();
    // A look that began before it was told goes on.
    expect(within(left, toldAt + 10, toldAt + pauseMs - 10)).toEqual([]);
    expect(within(left, toldAt + pauseMs - 10, toldAt + pauseMs + 1000)).not.toEqual([]);
  });

  test('lets no herd in after it: half the rate at first, the full rate some seconds later', async () => {
    const { left, toldAt } = await leftOfAll();
    const after = toldAt + pauseMs - 10;
    expect(within(left, after, after + 1000).length).toBeLessThanOrEqual(3);
    expect(within(left, after, after + 3000).length).toBeLessThanOrEqual(10);
    expect(within(left, after + 6000, after + 16_000).length).toBeGreaterThanOrEqual(45);
    const gaps = within(left, after, after + 20_000).map((at, index, all) => at - (all[index - 1] ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(DISTANCE_MS - 30);
  });
});

describe('the pace', () => {
  const now = 1_000_000;
  const complain = (limit: Limit, slotAt: number, at: number) => slowDown(limit, { status: 429 }, slotAt, at);

  test('is cut once for all requests that had left before', () => {
    const once = complain(freshLimit('partner'), now - 100, now);
    const again = complain(complain(once, now - 90, now + 10), now - 80, now + 20);
    expect([once.pace, again.pace]).toEqual([0.5, 0.5]);
    expect(again.pausedUntil).toBe(now + 1020);
  });

  test('is cut anew by what left since, down to a tenth', () => {
    let limit = freshLimit('partner');
    const paces = [0, 1, 2, 3, 4].map((turn) => {
      limit = complain(limit, now + turn * 1000 + 500, now + turn * 1000 + 600);
      return limit.pace;
    });
    expect(paces).toEqual([0.5, 0.25, 0.125, 0.1, 0.1]);
  });

  test('comes back evenly from the end of the pause on, by a tenth of the rate each second', () => {
    const limit = complain(freshLimit('partner'), now - 100, now);
    const paces = [0, 1000, 2000, 4000, 6000, 60_000].map((ms) => paceAt(limit, now + ms));
    expect(paces).toEqual([0.5, 0.5, 0.6, 0.8, 1, 1]);
  });
});

test('those who wait for a permit look again at moments of their own, 50 to 150 ms later', async () => {
  const clock = virtualClock();
  const waits: number[] = [];
  const watched = {
    ...clock,
    sleep: (ms: number, signal?: AbortSignal) => {
      waits.push(ms);
      return clock.sleep(ms, signal);
    },
  };
  let draws = 0;
  let ids = 0;
  const random = () => [0, 0.999, 0.25, 0.5][draws++ % 4] ?? 0;
  const ports = { limits: inMemoryLimitTable(), clock: watched, newId: () => `permit-${ids++}`, random };
  const limiter = createLimiter(ports, { ...settings, requestsInFlight: 1 }, 'partner');
  await clock.run(limiter.acquire({ until: clock.now() }));
  await clock.run(limiter.acquire({ until: clock.now() + 350, storeClientId: 'A' }));
  expect(waits.slice(0, 4)).toEqual([50, 150, 75, 100]);
});

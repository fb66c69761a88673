import { describe, expect, test } from 'vitest';
import { createLimiter, type Limiter } from '../../../shared/limits/limiter.ts';
import type { LimitSettings } from '../../../shared/limits/model.ts';
import { grantedInMinuteBefore } from '../../../shared/limits/rules/count.ts';
import type { PermitOutcome } from '../../../shared/marketplace/options.ts';
import { inMemoryLimitTable } from '../../doubles/in-memory-limit-table.ts';
import { type VirtualClock, virtualClock } from '../support/virtual-clock.ts';

const settings: LimitSettings = {
  requestsPerSecond: 5,
  requestsInFlight: 5,
  permitLifetimeMs: 30_000,
  stopMs: 60_000,
};

/** Any number of functions over one Limits table. */
function limiters(clock: VirtualClock, count: number, over: Partial<LimitSettings> = {}): Limiter[] {
  const limits = inMemoryLimitTable();
  let ids = 0;
  const ports = { limits, clock, newId: () => `permit-${ids++}`, random: () => 0.5 };
  return Array.from({ length: count }, () => createLimiter(ports, { ...settings, ...over }, 'partner'));
}

function oneLimiter(clock: VirtualClock, over?: Partial<LimitSettings>): Limiter {
  const [limiter] = limiters(clock, 1, over);
  if (limiter === undefined) throw new Error('no limiter');
  return limiter;
}

interface Sent {
  readonly by: number;
  readonly at: number;
}

/** Sends without pause until `until`, each request taking `latencyMs`; `answer` is what each is told. */
async function sendAll(
  functions: readonly Limiter[],
  clock: VirtualClock,
  options: { forMs: number; latencyMs: number; answer?: (at: number) => PermitOutcome },
): Promise<Sent[]> {
  const sent: Sent[] = [];
  const end = clock.now() + options.forMs;
  const lane = async (limiter: Limiter, by: number) => {
    const inFlight: Promise<void>[] = [];
    while (clock.now() < end) {
      const grant = await limiter.acquire({ until: end });
      if (!grant.granted) break;
      const at = clock.now();
      sent.push({ by, at });
      const exchange = async () => {
        await clock.sleep(options.latencyMs);
        await grant.permit.release(options.answer?.(at) ?? { status: 200 });
      };
      inFlight.push(exchange());
    }
    await Promise.all(inFlight);
  };
  await clock.run(Promise.all(functions.map((limiter, by) => lane(limiter, by))));
  return sent.sort((a, b) => a.at - b.at);
}

/** The most that any window of `windowMs` holds. */
function mostWithin(sent: readonly Sent[], windowMs: number): number {
  return Math.max(
    ...sent.map(({ at: start }) => sent.filter(({ at }) => at >= start && at < start + windowMs).length),
  );
}

describe('createLimiter', () => {
  test.each([
    { functions: 1, latencyMs: 150 },
    { functions: 8, latencyMs: 150 },
    { functions: 3, latencyMs: 700 },
  ])('uses at least 95 % of the rate and no more: $functions functions, $latencyMs ms', async (given) => {
    const clock = virtualClock();
    const sent = await sendAll(limiters(clock, given.functions), clock, { forMs: 60_000, ...given });
    expect(sent.length).toBeGreaterThanOrEqual(0.95 * 5 * 60);
    expect(mostWithin(sent, 1000)).toBeLessThanOrEqual(5);
    expect(mostWithin(sent, 10_000)).toBeLessThanOrEqual(50);
  });

  test('lets no burst out after a quiet time', async () => {
    const clock = virtualClock();
    const functions = limiters(clock, 4);
    await sendAll(functions, clock, { forMs: 2000, latencyMs: 100 });
    await clock.run(clock.sleep(60_000));
    const sent = await sendAll(functions, clock, { forMs: 2000, latencyMs: 100 });
    expect(mostWithin(sent, 1000)).toBeLessThanOrEqual(5);
  });

  test('keeps to the number in flight', async () => {
    const clock = virtualClock();
    const latencyMs = 4000;
    const sent = await sendAll(limiters(clock, 3), clock, { forMs: 20_000, latencyMs });
    expect(mostWithin(sent, latencyMs)).toBeLessThanOrEqual(5);
    expect(sent.length).toBeGreaterThan(20);
  });

  test('gives every function its share', async () => {
    const clock = virtualClock();
    const sent = await sendAll(limiters(clock, 5), clock, { forMs: 60_000, latencyMs: 200 });
    for (let by = 0; by < 5; by += 1) {
      expect(sent.filter((request) => request.by === by).length).toBeGreaterThan(40);
    }
  });

  test('gets back the permits of functions that were killed', async () => {
    const clock = virtualClock();
    const limiter = oneLimiter(clock, { requestsInFlight: 2 });
    await clock.run(limiter.acquire({ until: clock.now() + 1000 }));
    await clock.run(limiter.acquire({ until: clock.now() + 1000 }));
    const begin = clock.now();
    const refused = await clock.run(limiter.acquire({ until: begin + 5000 }));
    expect(refused).toMatchObject({ granted: false, reason: 'in-flight' });
    const granted = await clock.run(limiter.acquire({ until: begin + 60_000 }));
    expect(granted).toMatchObject({ granted: true });
    expect(clock.now() - begin).toBeLessThan(31_000);
  });

  test('pauses everyone for a Retry-After, also those who have their slot already', async () => {
    const clock = virtualClock();
    const complaintAt = clock.now() + 5000;
    let complained = false;
    const sent = await sendAll(limiters(clock, 4), clock, {
      forMs: 30_000,
      latencyMs: 50,
      answer: (at) => {
        if (complained || at < complaintAt) return { status: 200 };
        complained = true;
        return { status: 429, retryAfterMs: 3000 };
      },
    });
    const before = sent.findLast(({ at }) => at <= complaintAt + 210)?.at ?? 0;
    const after = sent.find(({ at }) => at > before)?.at ?? 0;
    expect(after - before).toBeGreaterThanOrEqual(3000);
  });

  test('comes back to the full rate little by little after a complaint', async () => {
    const clock = virtualClock();
    const start = clock.now();
    let complained = false;
    const sent = await sendAll(limiters(clock, 4), clock, {
      forMs: 40_000,
      latencyMs: 50,
      answer: () => {
        if (complained) return { status: 200 };
        complained = true;
        return { status: 429 };
      },
    });
    const inSecond = (second: number) =>
      sent.filter(({ at }) => Math.floor((at - start) / 1000) === second).length;
    expect(inSecond(2)).toBeLessThanOrEqual(3);
    expect(inSecond(10)).toBeGreaterThanOrEqual(4);
  });

  test('stops lanes but no others, lets one lane try each minute, and all go on after a success', async () => {
    const clock = virtualClock();
    const limiter = oneLimiter(clock);
    const acquire = (heedsStop: boolean) =>
      clock.run(limiter.acquire({ until: clock.now() + 1000, heedsStop }));
    await limiter.stop({ code: 'AUTH_010', message: 'Invalid signature' });
    expect(await acquire(true)).toMatchObject({ granted: false, reason: 'stopped' });
    expect(await acquire(false)).toMatchObject({ granted: true });
    await clock.run(clock.sleep(60_000));
    const attempt = await acquire(true);
    expect(attempt).toMatchObject({ granted: true });
    expect(await acquire(true)).toMatchObject({ granted: false, reason: 'stopped' });
    if (attempt.granted) await attempt.permit.release({ status: 200 });
    expect(await acquire(true)).toMatchObject({ granted: true });
  });

  test.each<{ says: string; answer: PermitOutcome; ends: boolean }>([
    { says: 'takes the request', answer: { status: 202 }, ends: true },
    { says: 'refuses only its content', answer: { status: 400, code: 'VAL_001' }, ends: true },
    { says: 'refuses the credentials', answer: { status: 401, code: 'AUTH_010' }, ends: false },
    { says: 'refuses the store', answer: { status: 403, code: 'AUTH_014' }, ends: false },
    { says: 'takes a request without any', answer: { status: 200, unsigned: true }, ends: false },
    { says: 'fails', answer: { status: 503, code: 'SYS_DEP_503' }, ends: false },
    { says: 'never hears of it', answer: { unused: true }, ends: false },
  ])('ends a stop by an answer that $says: $ends', async ({ answer, ends }) => {
    const clock = virtualClock();
    const limiter = oneLimiter(clock);
    await limiter.stop({ code: 'AUTH_010', message: 'Invalid signature' });
    await clock.run(clock.sleep(60_000));
    const attempt = await clock.run(limiter.acquire({ until: clock.now(), heedsStop: true }));
    if (attempt.granted) await attempt.permit.release(answer);
    expect((await limiter.get())?.stop === undefined).toBe(ends);
  });

  test('refuses a slot that comes too late, and tells when to ask again', async () => {
    const clock = virtualClock();
    const limiter = oneLimiter(clock);
    const now = clock.now();
    const grant = await clock.run(limiter.acquire({ until: now }));
    if (grant.granted) await grant.permit.release({ status: 429, retryAfterMs: 20_000 });
    const refused = await clock.run(limiter.acquire({ until: now + 10_000 }));
    expect(refused).toEqual({ granted: false, reason: 'paced', retryAt: now + 20_000 });
  });

  test('gives the slot of an unused permit to the next', async () => {
    const clock = virtualClock();
    const limiter = oneLimiter(clock);
    const now = clock.now();
    const grant = await clock.run(limiter.acquire({ until: now }));
    if (grant.granted) await grant.permit.release({ unused: true });
    expect(await clock.run(limiter.acquire({ until: now }))).toMatchObject({ granted: true });
  });

  describe('counts for its utilization', () => {
    const grantedIn = async (limiter: Limiter, now: number) => {
      const limit = await limiter.get();
      return limit && grantedInMinuteBefore(limit, now);
    };
    const MINUTE_MS = 60_000;

    test('what was sent, and no permit that is given back unused', async () => {
      const clock = virtualClock();
      const limiter = oneLimiter(clock);
      const take = async (outcome: PermitOutcome) => {
        const grant = await clock.run(limiter.acquire({ until: clock.now() + 5000 }));
        if (grant.granted) await grant.permit.release(outcome);
        return grant;
      };
      for (let turn = 0; turn < 5; turn += 1) {
        await take({ unused: true });
        await take({ status: 200 });
      }
      expect(await grantedIn(limiter, clock.now() + MINUTE_MS)).toBe(5);
    });

    test('one that comes back unused only in the next minute', async () => {
      const clock = virtualClock(Date.UTC(2026, 0, 1, 0, 0, 59));
      const limiter = oneLimiter(clock);
      const early = await clock.run(limiter.acquire({ until: clock.now() }));
      await clock.run(clock.sleep(2000));
      await clock.run(limiter.acquire({ until: clock.now() }));
      expect(await grantedIn(limiter, clock.now())).toBe(1);
      if (early.granted) {
        await early.permit.release({ unused: true });
        await early.permit.release({ unused: true });
      }
      expect(await grantedIn(limiter, clock.now())).toBe(0);
      expect(await grantedIn(limiter, clock.now() + MINUTE_MS)).toBe(1);
    });

    test('one that a pause made wait for another slot once', async () => {
      const clock = virtualClock();
      const limiter = oneLimiter(clock);
      const first = await clock.run(limiter.acquire({ until: clock.now() }));
      const second = limiter.acquire({ until: clock.now() + 10_000 });
      await new Promise(setImmediate);
      if (first.granted) await first.permit.release({ status: 429, retryAfterMs: 3000 });
      expect(await clock.run(second)).toMatchObject({ granted: true });
      expect(await grantedIn(limiter, clock.now() + MINUTE_MS)).toBe(2);
    });
  });

  test('gives its place back when the wait for it is given up', async () => {
    const clock = virtualClock();
    const limiter = oneLimiter(clock);
    await clock.run(limiter.acquire({ until: clock.now() + 1000 }));
    const giveUp = new AbortController();
    const waiting = limiter.acquire({ until: clock.now() + 1000, signal: giveUp.signal });
    const outcome = waiting.catch((error: unknown) => error);
    await new Promise(setImmediate);
    giveUp.abort(new Error('enough'));
    expect(await clock.run(outcome)).toMatchObject({ message: 'enough' });
    expect(Object.keys((await limiter.get())?.permits ?? {})).toEqual(['permit-0']);
  });
});

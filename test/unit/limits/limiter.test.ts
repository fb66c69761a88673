import { describe, expect, test, vi } from 'vitest';
import { limitIdsOf } from '../../../shared/limits/model.ts';
import type { PermitOutcome } from '../../../shared/limits/ports.ts';
import { limitWorld, mostWithin, permitOf, sendAll } from './callers.ts';

/** Runs `functions` processes that send continuously, with `inFlight` requests each. */
async function crowd(
  world: ReturnType<typeof limitWorld>,
  functions: number,
  options: Parameters<typeof sendAll>[2],
): Promise<number[]> {
  const senders = Array.from({ length: functions }, () => sendAll(world.newLimiter(), world.clock, options));
  return (await world.clock.run(Promise.all(senders))).flat().sort((a, b) => a - b);
}

describe('the rate limiter', () => {
  test.each([
    { functions: 1, inFlight: 4, latencyMs: 150, ioMs: 0 },
    { functions: 8, inFlight: 1, latencyMs: 150, ioMs: 10 },
    { functions: 2, inFlight: 4, latencyMs: 700, ioMs: 20 },
  ])(
    'uses 95 % of the rate and not more: $functions functions, $latencyMs ms, tables of $ioMs ms',
    async (given) => {
      const sent = await crowd(limitWorld({}, given), given.functions, { forMs: 60_000, ...given });
      expect(sent.length).toBeGreaterThanOrEqual(0.95 * 5 * 60);
      // The first of all is late: it makes the item of the limit.
      expect(mostWithin(sent.slice(1), 1000)).toBeLessThanOrEqual(5);
    },
  );

  test('keeps to the number of requests in flight', async () => {
    const sent = await crowd(limitWorld(), 3, { forMs: 20_000, latencyMs: 4000, inFlight: 3 });
    expect(mostWithin(sent, 4000)).toBeLessThanOrEqual(5);
    expect(sent.length).toBeGreaterThan(20);
  });

  test('writes once each to reserve, begin and release, and does not read, under contention', async () => {
    const world = limitWorld({}, { ioMs: 10 });
    const sent = await crowd(world, 7, { forMs: 60_000, latencyMs: 100 });
    const { reads, writes } = world.operations;
    expect(writes / sent.length).toBeLessThan(3.2);
    expect(reads / sent.length).toBeLessThan(0.2);
  });

  test('gives places to reads only while tables are restored ones, until the end of that restore is recorded', async () => {
    const world = limitWorld({ restoredTables: 'Restored1' });
    const limiter = world.newLimiter();
    const reserve = (isRead: boolean) =>
      world.clock.run(limiter.reserve({ until: world.clock.now() + 2_000, isRead }));
    const refused = { reason: 'restored', retryAt: world.clock.now() + 60_000 };
    expect(await reserve(false)).toEqual(refused);
    expect(await reserve(true)).toMatchObject({ at: expect.any(Number) });
    await world.table.change('partner', { set: { resumedTables: 'Restored0' } });
    expect(await reserve(false)).toMatchObject({ reason: 'restored' });
    expect(await limiter.isRestored()).toBe(true);
    await world.table.change('partner', { set: { resumedTables: 'Restored1' } });
    expect(await reserve(false)).toMatchObject({ at: expect.any(Number) });
    expect(await limiter.isRestored()).toBe(false);
  });

  test('refuses at once a wait longer than 2 s, and says when to ask again', async () => {
    const world = limitWorld();
    const first = world.newLimiter();
    const until = world.clock.now() + 2_000;
    const places: number[] = [];
    for (let asked = 0; asked < 20; asked += 1) {
      const place = await first.reserve({ until });
      if ('at' in place) places.push(place.at);
      else expect(place.retryAt).toBeGreaterThan(world.clock.now());
    }
    expect(places).toHaveLength(10);
    expect(Math.max(...places)).toBeLessThanOrEqual(until);
  });

  test('recovers the permits of killed functions', async () => {
    const { clock, newLimiter } = limitWorld({ requestsInFlight: 1 });
    const permits = newLimiter();
    await clock.run(permitOf(permits, clock));
    expect(await clock.run(permitOf(permits, clock))).toMatchObject({ reason: 'busy' });
    await clock.run(clock.sleep(30_000));
    expect(await clock.run(permitOf(permits, clock))).toHaveProperty('release');
  });

  test('knows its permit when the SDK repeats the write that took it, also in place of an expired one', async () => {
    const { clock, newLimiter } = limitWorld({ requestsInFlight: 1 }, { repeatsWrites: true });
    const permits = newLimiter();
    expect(await clock.run(permitOf(permits, clock))).toHaveProperty('release');
    await clock.run(clock.sleep(31_000));
    expect(await clock.run(permitOf(permits, clock))).toHaveProperty('release');
  });

  test('gives permits while the tables are slow', async () => {
    const sent = await crowd(limitWorld({}, { ioMs: 150 }), 1, {
      forMs: 60_000,
      latencyMs: 100,
      inFlight: 5,
    });
    expect(sent.length).toBeGreaterThan(100);
  });

  test('gives a permit to one who comes while others use all of them', async () => {
    const world = limitWorld({}, { ioMs: 10 });
    const { clock, newLimiter } = world;
    const others = crowd(world, 6, { forMs: 60_000, latencyMs: 1_500, inFlight: 2 });
    const one = sendAll(newLimiter(), clock, { forMs: 60_000, latencyMs: 1_500 });
    await others;
    expect((await one).length).toBeGreaterThanOrEqual(5);
  });

  test('gives a lost place to no one, so that its caller does not get it again at once', async () => {
    const { clock, newLimiter } = limitWorld({ requestsInFlight: 1 });
    const permits = newLimiter();
    await clock.run(permitOf(permits, clock));
    const reserve = () => permits.reserve({ until: clock.now() + 2_000 });
    const lost = await reserve();
    if ('reason' in lost) throw new Error('no place');
    expect(await clock.run(lost.begin())).toBeUndefined();
    await lost.giveBack();
    const next = await reserve();
    expect('at' in next && next.at).toBeGreaterThanOrEqual(lost.at + 200);
  });

  test('gives the returned place of a withdrawn request to the next one', async () => {
    const { clock, newLimiter } = limitWorld();
    const permits = newLimiter();
    const first = await permits.reserve({ until: clock.now() + 2_000 });
    if ('giveBack' in first) await first.giveBack();
    expect(await permits.reserve({ until: clock.now() + 2_000 })).toMatchObject({
      at: 'at' in first && first.at,
    });
  });

  test('lets its owner return a place whose wait was aborted', async () => {
    const { clock, newLimiter, limitNow } = limitWorld();
    const place = await newLimiter().reserve({ until: clock.now() + 2_000, preparationMs: 500 });
    const giveUp = new AbortController();
    const beginning =
      'begin' in place ? place.begin(giveUp.signal).catch((error: unknown) => error) : undefined;
    giveUp.abort(new Error('enough'));
    expect(await clock.run(Promise.resolve(beginning))).toMatchObject({ message: 'enough' });
    if ('giveBack' in place) await place.giveBack();
    expect(await limitNow()).toMatchObject({ permits: {}, nextSlotAt: 'at' in place && place.at });
  });
});

const A = { storeClientId: 'a' };
const B = { storeClientId: 'b' };

describe.each<{ says: string; complaints: PermitOutcome[]; pauseMs: number }>([
  { says: 'a 429', complaints: [{ ...A, status: 429 }], pauseMs: 1000 },
  { says: 'a 429 with Retry-After', complaints: [{ ...A, status: 429, retryAfterMs: 5000 }], pauseMs: 5000 },
  {
    says: 'a 503 for a second store',
    complaints: [B, A].map((store) => ({ ...store, status: 503 })),
    pauseMs: 1000,
  },
  {
    says: 'SYS_DEP_503 for a second store, whatever its status',
    complaints: [
      { ...B, status: 503 },
      { ...A, code: 'SYS_DEP_503' },
    ],
    pauseMs: 1000,
  },
  {
    says: 'a Retry-After of anything for a second store',
    complaints: [
      { ...B, status: 503 },
      { ...A, status: 200, retryAfterMs: 3000 },
    ],
    pauseMs: 3000,
  },
])('$says', ({ complaints, pauseMs }) => {
  async function leftAfter() {
    const world = limitWorld({}, { ioMs: 4 });
    const start = world.clock.now();
    let at: number | undefined;
    const left = [...complaints];
    const answer = (leftAt: number): PermitOutcome => {
      if (leftAt < start + 5_000) return { status: 200 };
      const complaint = left.shift();
      if (complaint !== undefined && left.length === 0) at = leftAt;
      return complaint ?? { status: 200 };
    };
    const sent = await crowd(world, 7, { forMs: 30_000, latencyMs: 20, answer });
    const endOfPause = (at ?? 0) + 20 + pauseMs;
    return { sent, toldAt: (at ?? 0) + 40, endOfPause };
  }

  test('pauses all requests, also those with a reserved place', async () => {
    const { sent, toldAt, endOfPause } = await leftAfter();
    expect(sent.filter((at) => at > toldAt + 50 && at < endOfPause - 5)).toEqual([]);
    expect(sent.filter((at) => at >= endOfPause - 5 && at < endOfPause + 3_000)).not.toEqual([]);
  });

  test('is followed by half the rate at first, and by the full rate some seconds later', async () => {
    const { sent, endOfPause } = await leftAfter();
    const within = (from: number, to: number) =>
      sent.filter((at) => at >= endOfPause + from && at < endOfPause + to).length;
    expect(within(0, 2_000)).toBeLessThanOrEqual(7);
    expect(within(8_000, 12_000)).toBeGreaterThanOrEqual(17);
  });
});

describe('a complaint that may be about one store', () => {
  /** Reports these outcomes in turn. @returns whether all requests pause then */
  async function isPausedAfter(outcomes: readonly PermitOutcome[], pauseMs = 0) {
    const { clock, newLimiter, limitNow } = limitWorld();
    for (const outcome of outcomes) {
      const permit = await clock.run(permitOf(newLimiter(), clock));
      if ('release' in permit) await permit.release(outcome);
      await clock.run(clock.sleep(pauseMs));
    }
    return (await limitNow())?.pausedUntil !== 0;
  }
  const outage = { status: 503, retryAfterMs: 40_000 };

  test.each<[string, PermitOutcome[], number, boolean]>([
    ['its first time', [{ ...A, ...outage }], 0, false],
    ['of the same store again', [A, A, A].map((store) => ({ ...store, ...outage })), 0, false],
    [
      'of a second store within its time',
      [
        { ...A, ...outage },
        { ...B, ...outage },
      ],
      30_000,
      true,
    ],
    [
      'of a second store within a minute',
      [
        { ...A, status: 503 },
        { ...B, status: 503 },
      ],
      50_000,
      true,
    ],
    [
      'of a second store later',
      [
        { ...A, status: 503 },
        { ...B, status: 503 },
      ],
      61_000,
      false,
    ],
    ['of a call for no store, after a store', [{ ...A, status: 503 }, { status: 503 }], 0, true],
  ])('pauses all requests, %s', async (_, outcomes, pauseMs, isPaused) => {
    expect(await isPausedAfter(outcomes, pauseMs)).toBe(isPaused);
  });

  test('is as old as its answer, however long it takes to be noted', async () => {
    const { clock, newLimiter, limitNow, table } = limitWorld();
    const permit = await clock.run(permitOf(newLimiter(), clock));
    const answeredAt = clock.now();
    const read = table.get;
    const hanging = vi.spyOn(table, 'get').mockImplementation(async (limitId) => {
      await clock.sleep(40_000);
      return read(limitId);
    });
    if ('release' in permit) await clock.run(permit.release({ ...A, status: 503 }));
    hanging.mockRestore();
    expect((await limitNow())?.outage?.until).toBe(answeredAt + 60_000);
  });
});

describe('a stop of all lanes', () => {
  const stopped = async () => {
    const world = limitWorld();
    const limiter = world.newLimiter();
    await limiter.stop({ code: 'AUTH_010', message: 'Invalid signature' });
    const ask = (heedsStop: boolean) => world.clock.run(permitOf(limiter, world.clock, { heedsStop }));
    return { ...world, ask };
  };

  test('stops only lanes, allows one try each minute, and ends with a success', async () => {
    const { clock, ask } = await stopped();
    expect(await ask(true)).toMatchObject({ reason: 'stopped', retryAt: clock.now() + 60_000 });
    expect(await ask(false)).toHaveProperty('release');
    await clock.run(clock.sleep(60_000));
    const trial = await ask(true);
    expect(await ask(true)).toMatchObject({ reason: 'stopped' });
    if ('release' in trial) await trial.release({ status: 200 });
    expect(await ask(true)).toHaveProperty('release');
  });

  test('is not tried by a place that is returned', async () => {
    const { clock, ask, newLimiter } = await stopped();
    await clock.run(clock.sleep(60_000));
    const place = await newLimiter().reserve({ until: clock.now() + 2_000, heedsStop: true });
    if ('giveBack' in place) await place.giveBack();
    expect(await ask(true)).toHaveProperty('release');
  });

  test.each<{ says: string; answer: PermitOutcome; ends: boolean }>([
    { says: 'takes the request', answer: { status: 202 }, ends: true },
    { says: 'refuses only its content', answer: { status: 400, code: 'VAL_001' }, ends: true },
    { says: 'refuses the credentials', answer: { status: 401, code: 'AUTH_010' }, ends: false },
    { says: 'refuses them with status 200', answer: { status: 200, code: 'AUTH_010' }, ends: false },
    { says: 'answers with a page', answer: { status: 200, code: 'ANSWER_NOT_JSON' }, ends: false },
    { says: 'refuses the store', answer: { status: 403, code: 'AUTH_014' }, ends: false },
    { says: 'takes a request without any', answer: { status: 200, unsigned: true }, ends: false },
    { says: 'fails', answer: { status: 503, code: 'SYS_DEP_503' }, ends: false },
    { says: 'never sees it', answer: { unused: true }, ends: false },
  ])('ends when the marketplace $says: $ends', async ({ answer, ends }) => {
    const { clock, ask, limitNow } = await stopped();
    await clock.run(clock.sleep(60_000));
    const trial = await ask(true);
    if ('release' in trial) await trial.release(answer);
    expect((await limitNow())?.stop === undefined).toBe(ends);
  });
});

describe('a limit that is divided over four items', () => {
  const limitIds = ['partner', 'partner#1', 'partner#2', 'partner#3'];
  const rate = { requestsPerSecond: 200, requestsInFlight: 200 };

  test('uses 95 % of 200 requests per second and not more, with at most 160 writes of an item per second', async () => {
    const world = limitWorld(rate, { ioMs: 10, limitIds });
    const sent = await crowd(world, 8, { forMs: 10_000, latencyMs: 100, inFlight: 10 });
    expect(sent.length).toBeGreaterThanOrEqual(0.95 * 200 * 10);
    expect(mostWithin(sent, 1000)).toBeLessThanOrEqual(200);
    for (const limitId of limitIds) expect(world.writesOf(limitId) / 10).toBeLessThanOrEqual(160);
  });

  test('gives one caller the places of all items', async () => {
    const world = limitWorld(rate, { limitIds });
    const permits = world.newLimiter();
    const until = world.clock.now() + 100;
    const places: number[] = [];
    for (let asked = 0; asked < 30; asked += 1) {
      const place = await permits.reserve({ until });
      if ('at' in place) places.push(place.at);
    }
    expect(places.length).toBeGreaterThanOrEqual(10);
    expect(Math.max(...places)).toBeLessThanOrEqual(until);
  });

  test('keeps to the number of requests in flight', async () => {
    const world = limitWorld({ ...rate, requestsInFlight: 10 }, { limitIds });
    const sent = await crowd(world, 3, { forMs: 4_000, latencyMs: 2_000, inFlight: 8 });
    expect(mostWithin(sent, 2_000)).toBeLessThanOrEqual(10);
    expect(sent.length).toBeGreaterThanOrEqual(10);
  });

  test('pauses as a whole after a 429', async () => {
    const world = limitWorld(rate, { limitIds });
    const limiter = world.newLimiter();
    const first = await world.clock.run(permitOf(limiter, world.clock));
    const toldAt = world.clock.now();
    if ('release' in first) await first.release({ status: 429 });
    for (const limitId of limitIds) {
      expect(await world.table.get(limitId)).toMatchObject({ pausedUntil: toldAt + 1_000, pace: 0.5 });
    }
    expect(await world.clock.run(permitOf(limiter, world.clock))).toHaveProperty('release');
    expect(world.clock.now()).toBeGreaterThanOrEqual(toldAt + 1_000);
  });

  test('stops all lanes after a refusal of the credentials, and ends the stop with a success', async () => {
    const world = limitWorld(rate, { limitIds });
    const limiter = world.newLimiter();
    const ask = (heedsStop: boolean) => world.clock.run(permitOf(limiter, world.clock, { heedsStop }));
    await limiter.stop({ code: 'AUTH_010', message: 'Invalid signature' });
    for (const _ of limitIds) expect(await ask(true)).toMatchObject({ reason: 'stopped' });
    const other = await ask(false);
    if ('release' in other) await other.release({ status: 200 });
    for (const _ of limitIds) expect(await ask(true)).toHaveProperty('release');
  });
});

test.each([
  { says: '5/s', requestsPerSecond: 5, requestsInFlight: 5, items: ['partner'] },
  { says: '50/s', requestsPerSecond: 50, requestsInFlight: 50, items: ['partner'] },
  {
    says: '200/s',
    requestsPerSecond: 200,
    requestsInFlight: 100,
    items: ['partner', 'partner#1', 'partner#2', 'partner#3'],
  },
  { says: '200/s, five in flight', requestsPerSecond: 200, requestsInFlight: 5, items: ['partner'] },
])('a limit of $says has the items $items', ({ items, ...limit }) => {
  expect(limitIdsOf('partner', limit)).toEqual(items);
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { giveBack } from '../../../shared/limits/rules/give-back.ts';
import { freshLimit, reserve } from '../../../shared/limits/rules/reserve.ts';
import { longestGap, mostWithin, type Sender, sendAll, settings } from './senders.ts';

/** What one store's lane gets at most, and half of it. */
const FOR_MS = 120_000;
const ALL = 0.95 * settings.requestsPerSecond * (FOR_MS / 1000);
const HALF = ALL / 2;

function lane(storeClientId: string, over: Partial<Sender> = {}): Sender {
  return { storeClientId, latencyMs: 150, inFlight: 5, ...over };
}

/** Each sends one request after the other. */
function callers(storeClientId: string, count: number): Sender[] {
  return Array.from({ length: count }, () => lane(storeClientId, { inFlight: 1, pauseMs: 0 }));
}

function keepsToTheRate(sent: readonly number[][]): void {
  const all = sent.flat().sort((a, b) => a - b);
  expect(mostWithin(all, 1000)).toBeLessThanOrEqual(6);
  expect(mostWithin(all, 10_000)).toBeLessThanOrEqual(50);
}

describe('stores that want the limit at the same time', () => {
  test('are not held up by one whose requests all hang', async () => {
    const sent = await sendAll([lane('B'), lane('A', { latencyMs: 20_000 })], { forMs: FOR_MS, ioMs: 8 });
    const [ofB = []] = sent;
    expect(ofB.length).toBeGreaterThanOrEqual(0.9 * ALL);
    expect(longestGap(ofB)).toBeLessThan(1000);
    keepsToTheRate(sent);
  });

  test('find a permit left by one whose requests hang, once it is known that they do', async () => {
    const hanging = lane('A', { latencyMs: 20_000 });
    const visits = [30_000, 50_000, 95_000].map((fromMs) =>
      lane('B', { fromMs, untilMs: fromMs + 5_000, latencyMs: 100 }),
    );
    const [, ...ofB] = await sendAll([hanging, ...visits], { forMs: FOR_MS, ioMs: 8 });
    for (const [visit, [first = Number.NaN]] of ofB.entries()) {
      expect(first - (visits[visit]?.fromMs ?? 0)).toBeLessThan(1000);
    }
  });

  test.each([
    { flood: 5, ioMs: 0 },
    { flood: 5, ioMs: 8 },
    { flood: 20, ioMs: 8 },
    { flood: 20, ioMs: 40 },
  ])('go by turns, though one has $flood callers ($ioMs ms per operation)', async ({ flood, ioMs }) => {
    const sent = await sendAll([lane('B'), ...callers('A', flood)], { forMs: FOR_MS, ioMs });
    const [ofB = []] = sent;
    expect(ofB.length).toBeGreaterThanOrEqual(0.95 * HALF);
    expect(longestGap(ofB)).toBeLessThan(1000);
    expect(sent.flat().length).toBeGreaterThanOrEqual(ALL);
    keepsToTheRate(sent);
  });

  test.each([150, 700])('share it evenly, twenty of them, with answers after %i ms', async (latencyMs) => {
    const stores = Array.from({ length: 20 }, (_, index) => lane(`store-${index}`, { latencyMs }));
    const sent = await sendAll(stores, { forMs: FOR_MS, ioMs: 8 });
    for (const own of sent) expect(own.length).toBeGreaterThanOrEqual((0.6 * ALL) / 20);
    expect(sent.flat().length).toBeGreaterThanOrEqual(ALL);
    keepsToTheRate(sent);
  });

  test('take turns with callers that name none', async () => {
    const nameless = Array.from({ length: 10 }, () => ({ latencyMs: 150, inFlight: 1, pauseMs: 0 }));
    const [ofB = []] = await sendAll([lane('B'), ...nameless], { forMs: FOR_MS, ioMs: 8 });
    expect(ofB.length).toBeGreaterThanOrEqual(0.95 * HALF);
  });

  test('take turns where one request may be in flight', async () => {
    const options = { forMs: FOR_MS, ioMs: 8, settings: { requestsInFlight: 1 } };
    const [ofB = [], ...ofA] = await sendAll([lane('B', { inFlight: 1 }), ...callers('A', 5)], options);
    expect(ofB.length).toBeGreaterThanOrEqual(0.45 * (ofB.length + ofA.flat().length));
  });

  test.each([
    { latencyMs: 150, ioMs: 8 },
    { latencyMs: 700, ioMs: 8 },
    { latencyMs: 150, ioMs: 40 },
  ])('leave all of it to one alone: $latencyMs ms, $ioMs ms per operation', async ({ latencyMs, ioMs }) => {
    const sent = await sendAll([lane('B', { latencyMs })], { forMs: FOR_MS, ioMs });
    expect(sent.flat().length).toBeGreaterThanOrEqual(ALL);
    keepsToTheRate(sent);
  });

  test('leave all of it to one alone also where slots follow fast', async () => {
    const fast = { requestsPerSecond: 20, requestsInFlight: 10 };
    const senders = [...callers('A', 8), lane('B', { untilMs: 1000 })];
    const sent = await sendAll(senders, { forMs: 60_000, ioMs: 8, settings: fast });
    expect(sent.flat().length).toBeGreaterThanOrEqual(0.95 * 20 * 60);
  });

  test('wait for one that was killed while it waited no longer than it is remembered', () => {
    let now = 1_000_000;
    const ask = (limit: Parameters<typeof reserve>[0], storeClientId: string, permitId: string) => {
      const request = { permitId, storeClientId, now, until: now + 10_000, heedsStop: false };
      return reserve(limit, { ...settings, requestsInFlight: 1 }, request);
    };
    const first = ask(freshLimit('partner'), 'A', 'a-1');
    const killed = ask(first.limit, 'B', 'b-1');
    expect(killed).toMatchObject({ decision: { reserved: false }, isHint: true });
    if (!first.decision.reserved) throw new Error('nothing reserved');
    now += 200;
    const free = giveBack(killed.limit, first.decision.reservation, { status: 200 }, now);
    expect(ask(free, 'A', 'a-2').decision).toMatchObject({ reserved: false, reason: 'in-flight' });
    now += 3_000;
    expect(ask(free, 'A', 'a-2').decision).toMatchObject({ reserved: true });
  });
});

const stepOf = fc.record({
  afterMs: fc.integer({ min: 0, max: 400 }),
  store: fc.nat({ max: 60 }),
  /** Which of the permits that are out is given back first; none where there is no such one. */
  returned: fc.option(fc.nat({ max: 4 })),
});

test('whoever comes, slots keep their distance, permits their number, and the record stays small', () => {
  fc.assert(
    fc.property(fc.array(stepOf, { maxLength: 200 }), (steps) => {
      let limit = freshLimit('partner');
      let now = 1_000_000;
      let lastSlotAt = 0;
      const out: Parameters<typeof giveBack>[1][] = [];
      for (const [index, { afterMs, store, returned }] of steps.entries()) {
        now += afterMs;
        const isBack = returned !== null && (out[returned]?.slotAt ?? Number.POSITIVE_INFINITY) <= now;
        const [back] = isBack ? out.splice(returned, 1) : [];
        if (back !== undefined) limit = giveBack(limit, back, { status: 200 }, now);
        const asked = { permitId: `p-${index}`, now, until: now + 10_000, heedsStop: false };
        const next = reserve(limit, settings, { ...asked, storeClientId: `store-${store}` });
        if (next.decision.reserved || next.isHint) limit = next.limit;
        // With a permit, served in the last second, waiting; one that hangs takes its time, so that there are few.
        const quick = Object.values(limit.stores).filter(({ hangsUntil }) => hangsUntil <= now);
        expect(quick.length).toBeLessThanOrEqual(5 + 6 + 10);
        if (!next.decision.reserved) continue;
        const { slotAt } = next.decision.reservation;
        expect(slotAt - lastSlotAt).toBeGreaterThanOrEqual(185);
        lastSlotAt = slotAt;
        out.push(next.decision.reservation);
        expect(out.length).toBeLessThanOrEqual(5);
      }
    }),
  );
});

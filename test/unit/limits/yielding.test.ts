import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Limit } from '../../../shared/limits/model.ts';
import { giveBack } from '../../../shared/limits/rules/give-back.ts';
import { freshLimit, reserve } from '../../../shared/limits/rules/reserve.ts';
import { DISTANCE_MS, type Sender, sendAll, settings } from './senders.ts';

const lane: Sender = { latencyMs: 300, inFlight: 5 };
const documents = (count: number, latencyMs = 300): Sender[] =>
  Array.from({ length: count }, () => ({ yields: true, latencyMs, inFlight: 1 }));

describe('requests that yield', () => {
  test('leave to a busy lane all but one slot in about ten, and get that one', async () => {
    const [ofLane = [], ...ofDocuments] = await sendAll([lane, ...documents(5)], { forMs: 60_000 });
    const share = ofLane.length / (ofLane.length + ofDocuments.flat().length);
    expect(share).toBeGreaterThan(0.88);
    expect(ofDocuments.flat().length).toBeGreaterThan(20);
  });

  test('use at least 95 % of the rate when nobody else waits', async () => {
    const sent = (await sendAll(documents(5), { forMs: 60_000 })).flat();
    expect(sent.length).toBeGreaterThanOrEqual(0.95 * 5 * 60);
  });

  test('fill what a slow lane leaves of the rate', async () => {
    const slow = { ...lane, inFlight: 1, latencyMs: 900 };
    const sent = (await sendAll([slow, ...documents(5)], { forMs: 60_000 })).flat();
    expect(sent.length).toBeGreaterThanOrEqual(0.95 * 5 * 60);
  });

  test('let stock that comes while they drain leave within two slots', async () => {
    const late = { ...lane, fromMs: 20_000 };
    const [ofLane = []] = await sendAll([late, ...documents(8)], { forMs: 30_000 });
    expect((ofLane[0] ?? Number.NaN) - 20_000).toBeLessThanOrEqual(2 * DISTANCE_MS);
  });

  test('leave a permit to others, however long theirs hang', async () => {
    const late = { ...lane, fromMs: 10_000, latencyMs: 100 };
    const [ofLane = []] = await sendAll([late, ...documents(8, 25_000)], { forMs: 25_000 });
    expect((ofLane[0] ?? Number.NaN) - 10_000).toBeLessThanOrEqual(2 * DISTANCE_MS);
    expect(ofLane.length).toBeGreaterThan(40);
  });

  test('get on where only one request may be in flight', async () => {
    const senders = [{ ...lane, inFlight: 1 }, ...documents(2)];
    const sent = await sendAll(senders, { forMs: 60_000, settings: { requestsInFlight: 1 } });
    expect(sent.slice(1).flat().length).toBeGreaterThan(5);
  });
});

const stepOf = fc.record({
  afterMs: fc.integer({ min: 0, max: 700 }),
  yields: fc.boolean(),
  /** Which of the permits that are out is given back first; none where there is no such one. */
  returned: fc.option(fc.nat({ max: 4 })),
});

test('whoever comes, a yielding request takes no slot before its last quarter and no last permit, but one in ten', () => {
  fc.assert(
    fc.property(fc.array(stepOf, { maxLength: 60 }), (steps) => {
      let limit: Limit = freshLimit('partner');
      let now = 1_000_000;
      let lastYielding = Number.NEGATIVE_INFINITY;
      const out: Parameters<typeof giveBack>[1][] = [];
      for (const [index, { afterMs, yields, returned }] of steps.entries()) {
        now += afterMs;
        const [back] = returned === null ? [] : out.splice(returned, 1);
        if (back !== undefined) limit = giveBack(limit, back, { status: 200 }, now);
        const request = { permitId: `p-${index}`, now, until: now + 10_000, heedsStop: false, yields };
        const free = settings.requestsInFlight - out.length;
        const ahead = limit.nextSlotAt - now;
        const { limit: next, decision } = reserve(limit, settings, request);
        if (!decision.reserved) {
          expect(decision.retryAt).toBeGreaterThanOrEqual(now);
          expect(free > 1 && ahead <= 0, 'refused although all is free').toBe(false);
          continue;
        }
        const { slotAt } = decision.reservation;
        if (yields && slotAt - lastYielding < 10 * DISTANCE_MS) {
          expect(slotAt - now).toBeLessThanOrEqual(DISTANCE_MS / 4);
          expect(free).toBeGreaterThan(1);
        }
        if (yields) lastYielding = slotAt;
        expect(slotAt).toBeGreaterThanOrEqual(limit.nextSlotAt);
        limit = next;
        out.push(decision.reservation);
      }
    }),
  );
});

import { describe, expect, test } from 'vitest';
import { driftSchema, type ShownValues } from '../../../shared/drift/model.ts';
import { differencesBetween, standingOf } from '../../../shared/drift/rules/compare.ts';
import { judge, notShownDrift, shouldBeLive } from '../../../shared/drift/rules/judge.ts';
import type { Listing, RegisterName, Registers } from '../../../shared/listings/model.ts';
import { mergeChange } from '../../../shared/listings/rules/merge-change.ts';
import { settleRegisters } from '../../../shared/listings/rules/row.ts';
import { waitAgain } from '../../../shared/listings/rules/waiting.ts';

const START = Date.UTC(2026, 0, 5);
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const graceMs = 5 * MINUTE;

/** A listing with these values, all of them accepted at `START`. */
function accepted(values: Partial<Record<RegisterName, number | null>>): Listing {
  const registers = Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, { value: value ?? null, version: 1 }]),
  );
  const listing = {
    storeClientId: 's',
    target: 'sku:A',
    versionKind: 'integer' as const,
    desired: registers,
    sent: Object.fromEntries(Object.entries(registers).map(([name, one]) => [name, { ...one, at: 'T' }])),
    settled: {},
    failures: 0,
  };
  return settleRegisters(listing, registers, { outcome: 'accepted' }, START);
}

const look = (shown: ShownValues, readAt: number, repairs = true) => ({
  shown,
  readAt,
  // Each read is of a cycle of its own.
  cycleBeganAt: readAt,
  graceMs,
  repairs,
  productId: 'p-1',
});

describe('differencesBetween', () => {
  test('names each wanted value that is shown otherwise', () => {
    expect(
      differencesBetween({ price: 5, specialPrice: null, stock: 3 }, { price: 6, specialPrice: 4, stock: 3 }),
    ).toEqual([
      { register: 'price', wanted: 5, live: 6 },
      { register: 'specialPrice', wanted: null, live: 4 },
    ]);
  });

  test('a register that is not shown does not differ, nor does one that is not wanted', () => {
    expect(differencesBetween({ stock: 3 }, { price: 6 })).toEqual([]);
  });

  test('the global stock is compared with each warehouse without a wanted stock of its own, and not with their sum', () => {
    const shown = { stock: 9, 'stock:a': 3, 'stock:b': 6 } as const;
    expect(differencesBetween({ stock: 3, 'stock:b': 6 }, shown)).toEqual([]);
    expect(differencesBetween({ stock: 3 }, shown)).toEqual([{ register: 'stock', wanted: 3, live: 6 }]);
    expect(differencesBetween({ stock: 3, 'stock:b': 5 }, shown)).toEqual([
      { register: 'stock:b', wanted: 5, live: 6 },
    ]);
  });
});

describe('standingOf', () => {
  const listing = accepted({ price: 5 });

  test('a value is compared once its grace time was over when the read began', () => {
    expect(standingOf(listing, 'price', { readAt: START + graceMs - 1, graceMs })).toBe('waits');
    expect(standingOf(listing, 'price', { readAt: START + graceMs, graceMs })).toBe('compared');
  });

  test('a value that waits, of unknown outcome, or of a product that was just created is not compared', () => {
    const time = { readAt: START + HOUR, graceMs };
    expect(standingOf(waitAgain(listing, ['price'], START), 'price', time)).toBe('waits');
    expect(standingOf({ ...listing, notBefore: time.readAt + 1 }, 'price', time)).toBe('waits');
    expect(standingOf({ ...listing, createdAt: time.readAt - 1 }, 'price', time)).toBe('waits');
  });

  test('a rejected or discarded value, and one that is not wanted, is given up', () => {
    const rejected = settleRegisters(
      { ...listing, desired: { price: { value: 6, version: 2 } } },
      { price: { value: 6, version: 2 } },
      { outcome: 'rejected', code: 'DISCARDED' },
      START,
    );
    expect(standingOf(rejected, 'price', { readAt: START + HOUR, graceMs })).toBe('given up');
    expect(standingOf(listing, 'stock', { readAt: START + HOUR, graceMs })).toBe('given up');
  });

  test('a price that was only read for a row with a special price is not wanted', () => {
    const { storeClientId, target, versionKind } = listing;
    const change = { storeClientId, target, versionKind, version: 1, values: { specialPrice: 4 } };
    const merge = mergeChange(undefined, { ...change, base: { price: 5 } }, START);
    const merged = merge.result === 'changed' ? merge.listing : expect.unreachable();
    const sent = settleRegisters(merged, merged.desired, { outcome: 'accepted' }, START);
    expect(standingOf(sent, 'price', { readAt: START + HOUR, graceMs })).toBe('given up');
    expect(standingOf(sent, 'specialPrice', { readAt: START + HOUR, graceMs })).toBe('compared');
  });
});

describe('judge', () => {
  const listing = accepted({ price: 5, stock: 3 });
  const equal = { price: 5, stock: 3 };
  const wrong = { price: 7, stock: 3 };

  test('a listing whose product shows its values needs no record', () => {
    const verdict = judge(listing, undefined, look(equal, START + HOUR));
    expect(verdict).toEqual({ drift: undefined, drifted: [], repaired: [], contested: [], rearm: [] });
  });

  test('a drifted register is reported once, with when it was first seen, and waits again', () => {
    const first = judge(listing, undefined, look(wrong, START + HOUR));
    const found = { register: 'price', wanted: 5, live: 7, since: '2026-01-05T01:00:00.000Z' };
    expect(first).toMatchObject({ drifted: [found], repaired: [], contested: [], rearm: ['price'] });
    expect(driftSchema.parse(first.drift)).toEqual(first.drift);
    const waiting = waitAgain(listing, ['price'], START + HOUR);
    const second = judge(waiting, first.drift, look(wrong, START + HOUR + MINUTE));
    expect(second).toMatchObject({ drifted: [], rearm: [] });
    expect(second.drift?.registers).toEqual(first.drift?.registers);
  });

  test('a register that was to wait again and does not is made to once more, without a second report', () => {
    const first = judge(listing, undefined, look(wrong, START + HOUR));
    const second = judge(listing, first.drift, look(wrong, START + 2 * HOUR));
    expect(second).toMatchObject({ drifted: [], contested: [], rearm: ['price'] });
    expect(second.drift?.registers.price?.relapses).toBe(0);
  });

  test('without repair a drifted register is reported, and left as it is', () => {
    const verdict = judge(listing, undefined, look(wrong, START + HOUR, false));
    expect(verdict).toMatchObject({ drifted: [{ register: 'price' }], rearm: [] });
    expect(verdict.drift?.registers.price?.open?.rearmedAt).toBeUndefined();
  });

  test('a drifted register is repaired when a later read shows its value, also a newer one', () => {
    const first = judge(listing, undefined, look(wrong, START + HOUR));
    const newer = settleRegisters(
      { ...listing, desired: { ...listing.desired, price: { value: 8, version: 2 } } },
      { price: { value: 8, version: 2 } },
      { outcome: 'accepted' },
      START + HOUR,
    );
    const later = START + 2 * HOUR;
    expect(judge(listing, first.drift, look(equal, later)).repaired).toMatchObject([{ register: 'price' }]);
    expect(judge(newer, first.drift, look({ ...equal, price: 8 }, later)).repaired).toHaveLength(1);
  });

  test('a value that was rejected or discarded since closes its drift without a report', () => {
    const first = judge(listing, undefined, look(wrong, START + HOUR));
    const given = settleRegisters(
      waitAgain(listing, ['price'], START),
      { price: { value: 5, version: 1 } },
      { outcome: 'rejected', code: 'DISCARDED' },
      START + HOUR,
    );
    const verdict = judge(given, first.drift, look(wrong, START + 2 * HOUR));
    expect(verdict).toEqual({ drift: undefined, drifted: [], repaired: [], contested: [], rearm: [] });
  });

  /** Drifts again after as many `cycles` without a difference after each repair, at most six times; returns the number of repairs. */
  function fight(cycles: number): { repairs: number; isContested: boolean } {
    let now = START + HOUR;
    let verdict = judge(listing, undefined, look(wrong, now));
    let repairs = 0;
    const next = (shown: ShownValues) => {
      now += 12 * HOUR;
      verdict = judge(listing, verdict.drift, look(shown, now));
    };
    while (verdict.contested.length === 0 && repairs < 6) {
      for (let count = 0; count < cycles; count += 1) next(equal);
      repairs += 1;
      next(wrong);
    }
    return { repairs, isContested: verdict.contested.length > 0 };
  }

  test('a register that drifts again in the cycle after its repair, three times in a row, is contested', () => {
    expect(fight(1)).toEqual({ repairs: 3, isContested: true });
    expect(fight(2)).toEqual({ repairs: 6, isContested: false });
  });

  test('a cycle that shows a product twice counts as one look', () => {
    const first = judge(listing, undefined, look(wrong, START + HOUR));
    const cycleBeganAt = START + 2 * HOUR;
    const repaired = judge(listing, first.drift, { ...look(equal, cycleBeganAt + MINUTE), cycleBeganAt });
    const again = judge(listing, repaired.drift, { ...look(equal, cycleBeganAt + HOUR), cycleBeganAt });
    expect(again.drift).toEqual(repaired.drift);
    expect(judge(listing, again.drift, look(wrong, START + 9 * HOUR)).drift?.registers.price?.relapses).toBe(
      1,
    );
  });

  test('a repair that the marketplace takes and does not show counts as a drift again', () => {
    let now = START + HOUR;
    let verdict = judge(listing, undefined, look(wrong, now));
    let rearmed = 0;
    while (verdict.contested.length === 0) {
      rearmed += verdict.rearm.length;
      const taken = settleRegisters(
        waitAgain(listing, ['price'], now),
        { price: { value: 5, version: 1 } },
        { outcome: 'accepted' },
        now + MINUTE,
      );
      now += 10 * MINUTE;
      verdict = judge(taken, verdict.drift, look(wrong, now));
    }
    expect(rearmed).toBe(3);
    expect(verdict.rearm).toEqual([]);
  });

  describe('a contested register', () => {
    const contested = {
      open: { wanted: 5, version: 1, live: 7, since: 'T' },
      relapses: 3,
      contestedSince: 'T',
    };
    const drift = { storeClientId: 's', target: 'sku:A', registers: { price: contested } };

    test('is left alone while it differs, and others are judged', () => {
      const verdict = judge(listing, drift, look({ price: 9, stock: 0 }, START + HOUR));
      expect(verdict).toMatchObject({ rearm: ['stock'], contested: [], repaired: [] });
      const open = { ...contested.open, live: 9 };
      expect(verdict.drift?.registers.price).toEqual({ ...contested, open });
    });

    test('is contested no more once a person has made its wanted value live', () => {
      const verdict = judge(listing, drift, look(equal, START + HOUR));
      expect(verdict).toMatchObject({ repaired: [{ register: 'price' }], rearm: [] });
      const again = judge(listing, verdict.drift, look(wrong, START + 2 * HOUR));
      expect(again).toMatchObject({ contested: [{ register: 'price' }], drifted: [], rearm: [] });
      const stays = judge(listing, verdict.drift, look(equal, START + 2 * HOUR));
      const later = judge(listing, stays.drift, look(wrong, START + 3 * HOUR));
      expect(later).toMatchObject({ contested: [], drifted: [{ register: 'price' }], rearm: ['price'] });
    });

    test('shows a newer wanted value, and ends without a report if that is rejected', () => {
      const register = { price: { value: 8, version: 2 } };
      const changed = { ...listing, desired: { ...listing.desired, ...register } };
      const settled = (outcome: { outcome: 'accepted' } | { outcome: 'rejected'; code: string }) =>
        judge(settleRegisters(changed, register, outcome, START), drift, look(wrong, START + HOUR));
      expect(settled({ outcome: 'accepted' }).drift?.registers.price?.open).toMatchObject({
        wanted: 8,
        version: 2,
        live: 7,
      });
      expect(settled({ outcome: 'rejected', code: 'DISCARDED' })).toMatchObject({
        drift: undefined,
        repaired: [],
      });
    });
  });

  test('a product is missing once two cycles in a row have not shown it, and no more when it is shown', () => {
    const [first, second, third] = [
      '2026-01-05T01:00:00.000Z',
      '2026-01-05T13:00:00.000Z',
      '2026-01-06T01:00:00.000Z',
    ];
    const once = notShownDrift(listing, undefined, { startedAt: first, now: first });
    expect([once.notShownSince, once.missingSince]).toEqual([first, undefined]);
    expect(judge(listing, once, look(equal, START + 2 * HOUR)).drift).toBeUndefined();
    const twice = notShownDrift(listing, once, { startedAt: second, now: third });
    expect(twice).toMatchObject({ notShownSince: first, missingSince: third });
    expect(judge(listing, twice, look(equal, START + 24 * HOUR)).drift).toBeUndefined();
  });

  test('a listing that a cycle did not show keeps its open drift until it is missing', () => {
    const open = judge(listing, undefined, look(wrong, START + HOUR)).drift;
    const once = notShownDrift(listing, open, { startedAt: 'T1', now: 'T2' });
    expect(once.registers).toEqual(open?.registers);
    expect(notShownDrift(listing, once, { startedAt: 'T3', now: 'T4' }).registers).toEqual({});
  });
});

describe('shouldBeLive', () => {
  const time = { readAt: START + HOUR, graceMs };

  test('holds for a listing with an accepted value, and not while one waits or if all were rejected', () => {
    const listing = accepted({ price: 5, stock: 3 });
    expect(shouldBeLive(listing, time)).toBe(true);
    expect(shouldBeLive(waitAgain(listing, ['price'], START), time)).toBe(false);
    const rejected = settleRegisters(
      waitAgain(listing, ['price', 'stock'], START),
      listing.desired as Registers,
      { outcome: 'rejected', code: 'PRD_016' },
      START,
    );
    expect(shouldBeLive(rejected, time)).toBe(false);
  });
});

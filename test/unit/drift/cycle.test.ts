import { describe, expect, test } from 'vitest';
import { afterPage, isDue, newCycle, verifiedPercent } from '../../../shared/drift/rules/cycle.ts';

const START = '2026-01-05T00:00:00.000Z';
const now = Date.parse(START);
const HOUR = 3_600_000;
const last = {
  startedAt: START,
  endedAt: START,
  pages: 4,
  listings: 8,
  verified: 6,
  drifted: 0,
  missingProducts: 1,
  unknownProducts: 0,
};

describe('afterPage', () => {
  test('goes on with the next page, then with the archived products, then closes the cycle', () => {
    const third = { ...newCycle(START), page: 3, pages: 2, verified: 18 };
    const page = { hasNext: true, verified: 9 };
    expect(afterPage(third, page)).toMatchObject({ phase: 'listed', page: 4, pages: 3, verified: 27 });
    const archived = afterPage(third, { ...page, hasNext: false });
    expect(archived).toMatchObject({ phase: 'archived', page: 1 });
    expect(afterPage(archived, { ...page, hasNext: false })).toMatchObject({ phase: 'closing' });
  });
});

describe('isDue', () => {
  const storeClientId = 's';

  test('holds before the first cycle, while one is in progress, and when the next begins', () => {
    expect(isDue({ storeClientId }, now, HOUR)).toBe(true);
    expect(isDue({ storeClientId, last, cycle: newCycle(START) }, now, HOUR)).toBe(true);
    expect(isDue({ storeClientId, last }, now + HOUR - 1, HOUR)).toBe(false);
    expect(isDue({ storeClientId, last }, now + HOUR, HOUR)).toBe(true);
  });
});

describe('verifiedPercent', () => {
  const storeClientId = 's';

  test('is of the last whole cycle if that began within the time, else of the one in progress', () => {
    expect(verifiedPercent({ storeClientId, last }, 1, now + HOUR)).toBe(75);
    expect(verifiedPercent({ storeClientId, last }, 1, now + HOUR + 1)).toBe(0);
    const cycle = { ...newCycle('2026-01-05T02:00:00.000Z'), verified: 1 };
    expect(verifiedPercent({ storeClientId, last, cycle }, 1, now + 3 * HOUR)).toBe(12.5);
    expect(verifiedPercent({ storeClientId, cycle }, 1, now)).toBeUndefined();
    const empty = { ...last, listings: 0, verified: 0 };
    expect(verifiedPercent({ storeClientId, last: empty }, 1, now)).toBeUndefined();
  });
});

import { describe, expect, test } from 'vitest';
import {
  afterPage,
  earliestLook,
  isCycleCheaper,
  isCycleDue,
  isDue,
  newCycle,
  verifiedPercent,
} from '../../../shared/drift/rules/cycle.ts';

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

test('the earliest look is found among 200,000 drifts', () => {
  const drifts = Array.from({ length: 200_000 }, (_, index) => ({
    storeClientId: 's-1',
    target: `sku:${index}`,
    registers: {},
    ...(index > 0 && { lookAt: now - index }),
  }));
  expect(earliestLook(drifts)).toBe(now - 199_999);
  expect(earliestLook(drifts.slice(0, 1))).toBeUndefined();
});

describe('afterPage', () => {
  test('goes on with the next page, then with the archived products, then with listings that were on no page', () => {
    const third = { ...newCycle(START), page: 3, pages: 2, verified: 18 };
    const page = { hasNext: true, verified: 9 };
    expect(afterPage(third, page)).toMatchObject({ phase: 'listed', page: 4, pages: 3, verified: 27 });
    const archived = afterPage(third, { ...page, hasNext: false });
    expect(archived).toMatchObject({ phase: 'archived', page: 1 });
    expect(afterPage(archived, { ...page, hasNext: false })).toMatchObject({ phase: 'unseen', page: 1 });
  });
});

describe('isCycleCheaper', () => {
  test('compares the products that are due with the pages that are left, as many as the last cycle had', () => {
    const cycle = { ...newCycle(START), pages: 3 };
    expect(isCycleCheaper({ storeClientId: 's', last }, 3)).toBe(false);
    expect(isCycleCheaper({ storeClientId: 's', last }, 4)).toBe(true);
    expect(isCycleCheaper({ storeClientId: 's', last, cycle }, 0)).toBe(false);
    expect(isCycleCheaper({ storeClientId: 's', last, cycle }, 1)).toBe(true);
    expect(isCycleCheaper({ storeClientId: 's', last, cycle: { ...cycle, phase: 'unseen' } }, 9)).toBe(false);
    expect(isCycleCheaper({ storeClientId: 's' }, 9)).toBe(false);
  });
});

describe('isDue', () => {
  const storeClientId = 's';

  test('holds before the first cycle, while one is in progress, when the next begins, and for a product to look at', () => {
    expect(isDue({ storeClientId }, now, HOUR)).toBe(true);
    expect(isDue({ storeClientId, last, cycle: newCycle(START) }, now, HOUR)).toBe(true);
    expect(isDue({ storeClientId, last }, now + HOUR - 1, HOUR)).toBe(false);
    expect(isDue({ storeClientId, last }, now + HOUR, HOUR)).toBe(true);
    expect(isDue({ storeClientId, last, lookAt: now }, now, HOUR)).toBe(true);
    expect(isCycleDue({ storeClientId, last, lookAt: now }, now, HOUR)).toBe(false);
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
    expect(verifiedPercent({ storeClientId, last: { ...last, listings: 0, verified: 0 } }, 1, now)).toBe(100);
  });
});

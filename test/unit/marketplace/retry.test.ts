import { expect, test } from 'vitest';
import { MarketplaceError } from '../../../shared/marketplace/errors.ts';
import { backoffMs } from '../../../shared/marketplace/retry.ts';

function failure(retryAfterMs?: number): MarketplaceError {
  return new MarketplaceError({
    code: 'SYS_DEP_503',
    message: 'not now',
    outcome: 'refused',
    retryable: true,
    retryAfterMs,
  });
}

test('the wait before the next attempt is drawn from zero up to a ceiling that doubles, 5 s at most', () => {
  const drawn = (random: number) =>
    [1, 2, 3, 9].map((attempt) => backoffMs(failure(), attempt, () => random));
  expect(drawn(0)).toEqual([0, 0, 0, 0]);
  expect(drawn(0.5)).toEqual([100, 200, 400, 2500]);
  expect(drawn(0.9999)).toEqual([200, 400, 800, 5000]);
});

test('those who were told the same Retry-After wait at least that long, and do not come back together', () => {
  const waits = Array.from({ length: 100 }, (_, draw) => backoffMs(failure(3000), 3, () => draw / 100));
  expect(Math.min(...waits)).toBeGreaterThanOrEqual(3000);
  expect(Math.max(...waits)).toBeLessThanOrEqual(3800);
  expect(new Set(waits).size).toBe(100);
});

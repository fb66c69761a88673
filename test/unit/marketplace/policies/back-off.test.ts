import { describe, expect, test } from 'vitest';
import { MarketplaceError } from '../../../../shared/marketplace/errors.ts';
import { mayRepeat } from '../../../../shared/marketplace/failures.ts';
import { backOffMs, backOffs, deferralMs } from '../../../../shared/time/waits.ts';

describe('backOffMs', () => {
  test('is drawn between zero and a ceiling that doubles with each failure', () => {
    const drawn = (random: number) =>
      [0, 1, 2, 8].map((failures) => backOffMs(backOffs.call, failures, () => random));
    expect(drawn(0)).toEqual([0, 0, 0, 0]);
    expect(drawn(0.5)).toEqual([100, 200, 400, 2_500]);
    expect(drawn(0.9999)).toEqual([200, 400, 800, 5_000]);
  });

  test('is at most 5 minutes for a row', () => {
    expect(backOffMs(backOffs.row, 2_000, () => 0.9999)).toBe(299_970);
  });

  test('is added to Retry-After, so that callers with the same one do not return together', () => {
    const waits = Array.from({ length: 100 }, (_, draw) =>
      backOffMs(backOffs.call, 2, () => draw / 100, 3_000),
    );
    expect(Math.min(...waits)).toBe(3_000);
    expect(Math.max(...waits)).toBeLessThanOrEqual(3_800);
    expect(new Set(waits).size).toBe(100);
  });
});

test.each([
  [0, 15_000],
  [120_000, 30_000],
  [30 * 24 * 3_600_000, 600_000],
])('a command aged %d ms is deferred for %d ms', (age, deferral) => {
  expect(deferralMs(age)).toBe(deferral);
});

describe('mayRepeat', () => {
  const failed = (options: Partial<ConstructorParameters<typeof MarketplaceError>[0]>) =>
    new MarketplaceError({
      code: 'SYS_DEP_503',
      message: 'no',
      outcome: 'refused',
      retryable: true,
      ...options,
    });

  test.each([
    ['a write that was refused for now', failed({}), 'PATCH', true],
    ['a write of unknown outcome', failed({ outcome: 'unknown' }), 'PATCH', false],
    ['a read of unknown outcome', failed({ outcome: 'unknown' }), 'GET', true],
    ['a read that was refused for ever', failed({ retryable: false }), 'GET', false],
    ['a read whose Retry-After is long', failed({ retryAfterMs: 10_001 }), 'GET', false],
    ['a read that was aborted', failed({ code: 'ABORTED', outcome: 'not-sent' }), 'GET', false],
    ['a read that found no permit', failed({ code: 'LIMIT_REACHED', outcome: 'not-sent' }), 'GET', false],
  ])('decides %s by code, outcome and wait', (_, error, method, repeated) => {
    expect(mayRepeat(error, method)).toBe(repeated);
  });
});

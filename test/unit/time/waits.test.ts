import { expect, test } from 'vitest';
import { attemptLifetimeOf, CLOCK_MARGIN_MS } from '../../../shared/time/waits.ts';

test('a request counts as one that may still land until its lifetime is over by the clock of every function', () => {
  expect(attemptLifetimeOf({ attemptLifetimeSeconds: 30 })).toBe(30_000 + CLOCK_MARGIN_MS);
});

import { expect, test } from 'vitest';
import { until } from '../../../local/run/until.ts';

test('work that goes on is waited for longer than the bound, as long as it makes progress', async () => {
  let steps = 0;
  const begun = Date.now();
  const look = () => {
    steps += 1;
    return Date.now() > begun + 60 && steps;
  };
  expect(await until('the end', look, { withinMs: 20, everyMs: 1, progress: () => steps })).toBeGreaterThan(
    1,
  );
});

test('work that stands still ends the wait, with what it had reached', async () => {
  let reads = 0;
  const progress = () => {
    reads += 1;
    return Math.min(3, reads);
  };
  await expect(until('the end', () => false, { withinMs: 5, everyMs: 1, progress })).rejects.toThrow(
    'did not come within 0.005 s since 3 was reached: the end',
  );
});

test('without progress the bound is that of the whole wait', async () => {
  await expect(until('the end', () => undefined, { withinMs: 2, everyMs: 1 })).rejects.toThrow(
    'did not come within 0.002 s: the end',
  );
});

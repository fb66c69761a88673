import { expect, test } from 'vitest';
import { runChaos } from '../../tools/chaos/run-chaos.ts';

test('the newest values win while functions are killed and the marketplace fails', {
  timeout: 420_000,
}, async () => {
  const figures = await runChaos({
    seed: 7,
    events: 600,
    sendForMs: 20_000,
    targetsPerStore: 20,
    killEveryMs: 1500,
    faultEveryMs: 400,
    settleWithinMs: 240_000,
  });
  expect(figures.violations).toEqual([]);
  expect(figures.deadLetters).toBe(0);
  expect(figures.rate.excess).toBeLessThanOrEqual(0);
  expect(figures.rate.excessInFlight).toBeLessThanOrEqual(0);
  const struck = Object.values(figures.faults);
  expect(struck.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(10);
  expect(struck.length).toBeGreaterThan(3);
  expect(figures.kills).toBeGreaterThan(3);
});

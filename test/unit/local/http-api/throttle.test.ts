import { expect, test } from 'vitest';
import { createThrottle } from '../../../../local/aws/http-api/throttle.ts';

test('a throttle allows the burst at once and then the rate', () => {
  let now = 1_000_000;
  const admit = createThrottle({ requestsPerSecond: 10, burst: 3 }, { now: () => now });
  const admitted = (attempts: number): number =>
    Array.from({ length: attempts }, admit).filter(Boolean).length;
  expect(admitted(5)).toBe(3);
  now += 99;
  expect(admitted(1)).toBe(0);
  now += 101;
  expect(admitted(5)).toBe(2);
  now += 60_000;
  expect(admitted(10)).toBe(3);
});

import { describe, expect, test } from 'vitest';
import { measureRate } from '../../../tools/chaos/rate.ts';

const ALLOWED = { requestsPerSecond: 5, requestsInFlight: 5 };
const BEGIN = Date.UTC(2026, 0, 1);

/** Requests that arrived at these milliseconds. */
const arrivals = (times: readonly number[], inFlight = 1) =>
  times.map((at) => ({ time: new Date(BEGIN + at).toISOString(), inFlight }));
const every = (ms: number, count: number) => Array.from({ length: count }, (_, index) => index * ms);

describe('measureRate', () => {
  test('accepts requests at an even rate', () => {
    const { requests, mostInOneSecond, excess } = measureRate(arrivals(every(200, 100)), ALLOWED);
    expect({ requests, mostInOneSecond }).toEqual({ requests: 100, mostInOneSecond: 5 });
    expect(excess).toBeLessThanOrEqual(0);
  });

  test("accepts a burst of one second's worth after a pause, and reports one request more", () => {
    const burst = (count: number) => [...every(200, 10), ...every(1, count).map((at) => 10_000 + at)];
    expect(measureRate(arrivals(burst(10)), ALLOWED).excess).toBeLessThanOrEqual(0);
    expect(measureRate(arrivals(burst(11)), ALLOWED)).toMatchObject({ excess: 1, mostInOneSecond: 11 });
  });

  test('reports a rate that is always slightly too high', () => {
    expect(measureRate(arrivals(every(180, 100)), ALLOWED).excess).toBeGreaterThan(0);
  });

  test('reports an excess in any order of the requests', () => {
    const late = arrivals(every(10, 12)).reverse();
    expect(measureRate(late, ALLOWED).excess).toBeGreaterThan(0);
  });

  test('reports more requests in flight than allowed', () => {
    const most = (inFlight: number) =>
      measureRate([...arrivals(every(200, 10)), ...arrivals([3000], inFlight)], ALLOWED);
    expect(most(5)).toMatchObject({ mostInFlight: 5, excessInFlight: 0 });
    expect(most(6)).toMatchObject({ mostInFlight: 6, excessInFlight: 1 });
  });
});

import { describe, expect, test } from 'vitest';
import { describeSeed } from './report.ts';
import { runSeed, type SeedReport } from './run-seed.ts';
import { runSeeds } from './run-seeds.ts';

const traced = new Map<number, Promise<SeedReport>>();

/** The report of a seed with its traces, run once. */
function reportOf(seed: number): Promise<SeedReport> {
  const report = traced.get(seed) ?? runSeed(seed, { traced: true });
  traced.set(seed, report);
  return report;
}

describe('a simulated seed', () => {
  test('runs in the same way every time', async () => {
    const lengths: number[] = [];
    for (const seed of [1, 2, 3, 4, 5, 6, 7, 8]) {
      const first = await reportOf(seed);
      const second = await runSeed(seed, { traced: true });
      expect(second).toEqual(first);
      lengths.push(first.traces.flatMap(({ lines }) => lines).length);
    }
    expect(Math.max(...lengths)).toBeGreaterThan(100);
  });

  test('gives the same report on one of several threads, in the order of the seeds', async () => {
    const reports: SeedReport[] = [];
    for await (const report of runSeeds(3, 6)) reports.push(report);
    expect(reports.map(({ seed }) => seed)).toEqual([3, 4, 5, 6, 7, 8]);
    for (const report of reports) expect({ ...(await reportOf(report.seed)), traces: [] }).toEqual(report);
  });

  test('runs in another way than the next seed', async () => {
    const [one, other] = [await reportOf(7), await reportOf(8)];
    expect(other.traces).not.toEqual(one.traces);
  });

  test('is described with the trace of each scenario and its result', async () => {
    const report = await reportOf(7);
    const names = report.traces.map(({ scenario }) => scenario);
    expect(names).toContain('stock-and-price');
    const text = await describeSeed({ ...report, violation: undefined });
    for (const name of names) expect(text).toContain(`--- ${name} ---\n`);
    expect(text).toContain('\nseed 7: no violation\n');
    expect(await describeSeed({ ...report, violation: 'P1: gone' })).toContain('\nseed 7: P1: gone\n');
  });
});

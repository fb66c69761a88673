import { availableParallelism, cpus, loadavg } from 'node:os';
import type { Bar } from './plot.ts';

/** What one contender took in each round, and the same as a ratio to the first contender of that round. */
export interface Measured {
  readonly name: string;
  readonly values: readonly number[];
  readonly ratios: readonly number[];
}

/**
 * Measures contenders in turn, round by round: what else the machine does then falls on all of them. Ratios are of values
 * of the same round.
 *
 * @param contenders the first is the one that the others are compared with; each returns what it took
 */
export async function interleaved(
  contenders: Readonly<Record<string, () => number | Promise<number>>>,
  rounds: number,
): Promise<Measured[]> {
  const measured = Object.keys(contenders).map((name) => ({
    name,
    values: [] as number[],
    ratios: [] as number[],
  }));
  for (let round = 0; round < rounds; round += 1) {
    for (const { name, values, ratios } of measured) {
      const value = (await contenders[name]?.()) ?? Number.NaN;
      values.push(value);
      ratios.push(value / (measured[0]?.values[round] ?? Number.NaN));
    }
  }
  return measured;
}

/** The value below which this part of the values lies, such as 0.5 for the median. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) * part)] ?? Number.NaN;
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** Such as `12.3 (11.9 – 14.0)`: the median and the quartiles. */
export function spread(values: readonly number[], digits = 2): string {
  const at = (part: number) => quantile(values, part).toFixed(digits);
  return `${median(values).toFixed(digits)} (${at(0.25)} – ${at(0.75)})`;
}

/** A bar of a plot: the median and the quartiles. */
export function barOf(label: string, values: readonly number[]): Bar {
  return { label, low: quantile(values, 0.25), median: median(values), high: quantile(values, 0.75) };
}

/** Milliseconds of CPU that this process has used. It says more than the time passed while the machine does other work. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** The machine and its load, such as `2026-11-22, Node 24.21.0, 2 × AMD EPYC, load 0.4`. */
export function conditions(): string {
  const [cpu] = cpus();
  const [load = 0] = loadavg();
  const machine = `${availableParallelism()} × ${cpu?.model.trim() ?? 'unknown CPU'}`;
  return `${new Date().toISOString().slice(0, 10)}, Node ${process.versions.node}, ${machine}, load ${load.toFixed(1)}`;
}

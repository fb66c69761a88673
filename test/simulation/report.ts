import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ScenarioTrace, SeedReport } from './run-seed.ts';

/** Lines shown of a scenario's trace; the whole trace is written to a file. */
const SHOWN_LINES = 60;
const SHOWN_WIDTH = 200;

/** The combined result of several seeds. */
export class Totals {
  seeds = 0;
  outsideEvents = 0;
  steps = 0;
  readonly #faults = new Map<string, number>();
  readonly #startedAt = performance.now();

  add({ outsideEvents, steps, faults }: SeedReport): void {
    this.seeds += 1;
    this.outsideEvents += outsideEvents;
    this.steps += steps;
    for (const [kind, count] of faults) this.#faults.set(kind, (this.#faults.get(kind) ?? 0) + count);
  }

  toString(): string {
    const seconds = (performance.now() - this.#startedAt) / 1000;
    const faults = [...this.#faults].sort(([, a], [, b]) => b - a);
    return [
      `${this.seeds} seeds in ${seconds.toFixed(1)} s (${Math.round(this.seeds / seconds)} seeds/s): ` +
        `${this.outsideEvents} events from outside, ${this.steps} steps`,
      ...faults.map(([kind, count]) => `${String(count).padStart(8)}  ${kind}`),
    ].join('\n');
  }
}

/** Writes the traces of a seed to a file; returns a summary that ends with the result. */
export async function describeSeed({ seed, violation, traces }: SeedReport): Promise<string> {
  const path = join(tmpdir(), `simulation-seed-${seed}.log`);
  const whole = traces.flatMap(({ scenario, lines }) => [titleOf(scenario), ...lines]);
  await writeFile(path, `${whole.join('\n')}\n`);
  return [
    ...traces.flatMap(endOf),
    '',
    `seed ${seed}: ${violation ?? 'no violation'}`,
    `whole traces: ${path} (${whole.length} lines)`,
    `replay: npm run simulate -- --seed ${seed}`,
  ].join('\n');
}

function endOf({ scenario, lines }: ScenarioTrace): string[] {
  const shown = lines.slice(-SHOWN_LINES).map((line) => line.slice(0, SHOWN_WIDTH));
  return [titleOf(scenario), ...shown];
}

function titleOf(scenario: string): string {
  return `--- ${scenario} ---`;
}

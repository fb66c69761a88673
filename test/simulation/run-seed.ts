import type { FaultKind } from './engine/faults.ts';
import { Simulation } from './engine/simulation.ts';
import { runStockAndPrice } from './scenarios/stock-and-price.ts';
import { runSummaries } from './scenarios/summaries.ts';

/** Each runs in a world of its own, and gives the number of events that came from outside. */
const scenarios: readonly ((simulation: Simulation) => Promise<number>)[] = [runStockAndPrice, runSummaries];

/** What came of one seed. */
export interface SeedReport {
  readonly seed: number;
  /** The first property that did not hold. */
  readonly violation: string | undefined;
  readonly outsideEvents: number;
  /** Events of the scheduler. */
  readonly steps: number;
  readonly faults: ReadonlyMap<FaultKind, number>;
  /** What happened, line by line; empty unless traced. */
  readonly trace: readonly string[];
}

/** Runs every scenario with one seed, up to the first violation; the same seed always goes the same way. */
export async function runSeed(seed: number, options: { traced?: boolean } = {}): Promise<SeedReport> {
  let [outsideEvents, steps] = [0, 0];
  const faults = new Map<FaultKind, number>();
  let simulation = new Simulation(seed, options);
  for (const runScenario of scenarios) {
    simulation = new Simulation(seed, options);
    outsideEvents += await runScenario(simulation);
    steps += simulation.scheduler.steps;
    for (const [kind, count] of simulation.faults.counts) faults.set(kind, (faults.get(kind) ?? 0) + count);
    if (simulation.violation !== undefined) break;
  }
  return {
    seed,
    violation: simulation.violation,
    outsideEvents,
    steps,
    faults,
    trace: simulation.trace ?? [],
  };
}

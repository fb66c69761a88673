import type { FaultKind } from './engine/faults.ts';
import { Simulation } from './engine/simulation.ts';
import { runStockAndPrice } from './scenarios/stock-and-price.ts';

/** What came of one seed. */
export interface SeedReport {
  readonly seed: number;
  /** The first property that did not hold. */
  readonly violation: string | undefined;
  readonly partnerEvents: number;
  /** Events of the scheduler. */
  readonly steps: number;
  readonly faults: ReadonlyMap<FaultKind, number>;
  /** What happened, line by line; empty unless traced. */
  readonly trace: readonly string[];
}

/** Runs one seed from its beginning to its end; the same seed always goes the same way. */
export async function runSeed(seed: number, options: { traced?: boolean } = {}): Promise<SeedReport> {
  const simulation = new Simulation(seed, options);
  const partnerEvents = await runStockAndPrice(simulation);
  return {
    seed,
    violation: simulation.violation,
    partnerEvents,
    steps: simulation.scheduler.steps,
    faults: simulation.faults.counts,
    trace: simulation.trace ?? [],
  };
}

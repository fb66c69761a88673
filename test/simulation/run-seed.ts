import type { FaultKind } from './engine/faults.ts';
import { Simulation } from './engine/simulation.ts';
import { runDocuments } from './scenarios/documents.ts';
import { runDrift } from './scenarios/drift.ts';
import { runOrders } from './scenarios/orders.ts';
import { runProductCommands, runRetries } from './scenarios/product-commands.ts';
import { runRenames } from './scenarios/renames.ts';
import { runRestores } from './scenarios/restores.ts';
import { runStockAndPrice, runTakeovers } from './scenarios/stock-and-price.ts';
import { runStockFiles } from './scenarios/stock-files.ts';
import { runSummaries } from './scenarios/summaries.ts';

/** Each scenario runs in a separate world, and returns the number of events from outside. */
const scenarios: Readonly<Record<string, (simulation: Simulation) => Promise<number>>> = {
  'stock-and-price': runStockAndPrice,
  takeovers: runTakeovers,
  restores: runRestores,
  summaries: runSummaries,
  'product-commands': runProductCommands,
  'product-retries': runRetries,
  renames: runRenames,
  'stock-files': runStockFiles,
  orders: runOrders,
  documents: runDocuments,
  drift: runDrift,
};
export const scenarioNames: readonly string[] = Object.keys(scenarios);

export interface SeedOptions {
  /** Whether to record a trace. */
  readonly traced?: boolean;
  /** Only the scenarios whose name contains this. */
  readonly scenario?: string;
}

/** The trace of one scenario, line by line. */
export interface ScenarioTrace {
  readonly scenario: string;
  readonly lines: readonly string[];
}

/** The result of one seed. */
export interface SeedReport {
  readonly seed: number;
  /** The first property that did not hold. */
  readonly violation: string | undefined;
  readonly outsideEvents: number;
  /** Events of the scheduler. */
  readonly steps: number;
  readonly faults: ReadonlyMap<FaultKind, number>;
  /** Of each scenario that ran, in their order; none unless traced. */
  readonly traces: readonly ScenarioTrace[];
}

/** Runs every scenario with one seed, up to the first violation; the same seed always gives the same run. */
export async function runSeed(seed: number, options: SeedOptions = {}): Promise<SeedReport> {
  let [outsideEvents, steps] = [0, 0];
  const faults = new Map<FaultKind, number>();
  const traces: ScenarioTrace[] = [];
  let violation: string | undefined;
  for (const [name, runScenario] of Object.entries(scenarios)) {
    if (!name.includes(options.scenario ?? '')) continue;
    const simulation = new Simulation(seed, options);
    outsideEvents += await runScenario(simulation);
    steps += simulation.scheduler.steps;
    for (const [kind, count] of simulation.faults.counts) faults.set(kind, (faults.get(kind) ?? 0) + count);
    if (simulation.trace !== undefined) traces.push({ scenario: name, lines: simulation.trace });
    violation = simulation.violation;
    if (violation !== undefined) break;
  }
  return { seed, violation, outsideEvents, steps, faults, traces };
}

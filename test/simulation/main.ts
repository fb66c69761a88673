import { parseArgs } from 'node:util';
import { runMutants } from './mutants/run-mutants.ts';
import { describeSeed, Totals } from './report.ts';
import { runSeed } from './run-seed.ts';
import { runSeeds } from './run-seeds.ts';

const usage = `Runs the production use cases under a seeded scheduler with virtual time.

  --seeds N     run N seeds on all cores (default 500); the first that fails is shown
  --from N      begin with seed N (default 1)
  --seed S      run one seed and show what happened in each scenario
  --scenario NAME only scenarios whose name contains NAME
  --mutants     switch in seeded mistakes one at a time; each must be caught within --seeds (default 2000)
  --mutant NAME only mutants whose name contains NAME
`;

const { values } = parseArgs({
  options: {
    seeds: { type: 'string' },
    from: { type: 'string', default: '1' },
    seed: { type: 'string' },
    scenario: { type: 'string' },
    mutants: { type: 'boolean', default: false },
    mutant: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

/** The rarest of the mistakes need more seeds than an ordinary run has. */
const DEFAULT_SEEDS = 500;
const DEFAULT_MUTANT_SEEDS = 2000;

const { scenario = '' } = values;

if (values.help) console.log(usage);
else if (values.mutants || values.mutant !== undefined) await catchMutants();
else if (values.seed !== undefined) await replay(Number(values.seed));
else await runMany(Number(values.from), Number(values.seeds ?? DEFAULT_SEEDS));

async function runMany(from: number, count: number): Promise<void> {
  const totals = new Totals();
  for await (const report of runSeeds(from, count, { scenario })) {
    totals.add(report);
    if (report.violation === undefined) continue;
    console.log(await describeSeed(await runSeed(report.seed, { scenario, traced: true })));
    process.exitCode = 1;
    break;
  }
  console.log(String(totals));
}

async function replay(seed: number): Promise<void> {
  const report = await runSeed(seed, { scenario, traced: true });
  console.log(await describeSeed(report));
  process.exitCode = report.violation === undefined ? 0 : 1;
}

async function catchMutants(): Promise<void> {
  const survivors = await runMutants({
    seeds: Number(values.seeds ?? DEFAULT_MUTANT_SEEDS),
    nameContains: values.mutant ?? '',
    scenario: values.scenario,
  });
  process.exitCode = survivors === 0 ? 0 : 1;
}

import {
  argumentsOrExit,
  partOfName,
  readArguments,
  wholeNumber,
} from '../../local/run/command-arguments.ts';
import { mutants } from './mutants/catalog.ts';
import { runMutants } from './mutants/run-mutants.ts';
import { describeSeed, Totals } from './report.ts';
import { runSeed, scenarioNames } from './run-seed.ts';
import { runSeeds } from './run-seeds.ts';

const usage = `Runs the production use cases under a seeded scheduler with virtual time.

  --seeds N        run N seeds on all cores (default 500); the first that fails is shown
  --from N         begin with seed N (default 1)
  --seed S         run one seed and show what happened in each scenario
  --scenario NAME  only scenarios whose name contains NAME
  --mutants        switch in seeded mistakes one at a time; each must be caught within --seeds (default 6000)
  --mutant NAME    only mutants whose name contains NAME; may be given several times`;

const flags = {
  seeds: { type: 'string' },
  from: { type: 'string', default: '1' },
  seed: { type: 'string' },
  scenario: { type: 'string', default: '' },
  mutants: { type: 'boolean', default: false },
  mutant: { type: 'string', multiple: true },
} as const;

/** The rarest of the mistakes need more seeds than an ordinary run has. */
const DEFAULT_SEEDS = 500;
const DEFAULT_MUTANT_SEEDS = 6000;

const { isOfMutants, mutantNames, scenario, seed, from, seeds } = argumentsOrExit(usage, (args) => {
  const { values } = readArguments(args, flags);
  const { mutant = [] } = values;
  const isOfMutants = values.mutants || mutant.length > 0;
  const defaultSeeds = isOfMutants ? DEFAULT_MUTANT_SEEDS : DEFAULT_SEEDS;
  return {
    isOfMutants,
    mutantNames: mutant.map((part) =>
      partOfName(
        'mutant',
        part,
        mutants.map(({ name }) => name),
      ),
    ),
    scenario: partOfName('scenario', values.scenario, scenarioNames),
    seed: values.seed === undefined ? undefined : wholeNumber('seed', values.seed, 0),
    from: wholeNumber('from', values.from, 0),
    seeds: values.seeds === undefined ? defaultSeeds : wholeNumber('seeds', values.seeds),
  };
});

if (isOfMutants) await catchMutants();
else if (seed !== undefined) await replay(seed);
else await runMany(from, seeds);

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
    seeds,
    names: mutantNames,
    scenario: scenario === '' ? undefined : scenario,
  });
  process.exitCode = survivors === 0 ? 0 : 1;
}

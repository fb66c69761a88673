import { mutantGroups } from '../../test/simulation/mutants/catalog.ts';
import { LONG } from '../../test/tiers.ts';

/** One proof that takes minutes. */
export interface Step {
  readonly name: string;
  readonly command: readonly [program: string, ...args: string[]];
  readonly environment?: Readonly<Record<string, string>>;
  /** About how long it takes on two quiet cores. */
  readonly minutes: number;
}

const SEEDS = 6_000;
const SEEDS_PER_STEP = 1_000;
/** Orders in which the unit tests run: one that changes what the next one sees fails in some. */
const SHUFFLES = [1, 2, 3];

const vitest = (...args: string[]) => ['vitest', 'run', ...args] as const;
const script = (name: string, ...args: string[]) => ['npm', 'run', '--silent', name, '--', ...args] as const;

/** Minutes of the tests that take real time. */
const MINUTES: Readonly<Record<string, number>> = { chaos: 3, cost: 10, 'zero-first': 4 };

const longTests = LONG.map(
  (name): Step => ({
    name: `test: ${name}`,
    command: vitest(`test/e2e/${name}.test.ts`),
    minutes: MINUTES[name] ?? 2,
  }),
);

const shuffles = SHUFFLES.map(
  (seed): Step => ({
    name: `unit tests in random order ${seed}`,
    command: vitest('--project', 'unit', '--sequence.shuffle', '--sequence.seed', String(seed)),
    minutes: 1,
  }),
);

/** The tests that take their size from the environment. */
const large: readonly Step[] = [
  { name: 'large: products', test: 'products', environment: { PRODUCTS: '5000' }, minutes: 10 },
  { name: 'large: labels', test: 'labels', environment: { LABELS: '2000' }, minutes: 10 },
  {
    name: 'large: drift',
    test: 'drift',
    environment: { DRIFT_PRODUCTS: '10000', DRIFTS: '500' },
    minutes: 30,
  },
  { name: 'large: stock file', test: 'large-stock-file', environment: { STOCK_ROWS: '200000' }, minutes: 30 },
].map(({ test, ...step }) => ({ ...step, command: vitest(`test/e2e/${test}.test.ts`) }));

const seeds = Array.from({ length: SEEDS / SEEDS_PER_STEP }, (_, index): Step => {
  const from = 1 + index * SEEDS_PER_STEP;
  return {
    name: `seeds ${from} to ${from + SEEDS_PER_STEP - 1}`,
    command: script('simulate', '--from', String(from), '--seeds', String(SEEDS_PER_STEP)),
    minutes: 3,
  };
});

const mistakes = Object.entries(mutantGroups).map(
  ([group, mutants]): Step => ({
    name: `mistakes: ${group}`,
    command: script('simulate', ...mutants.flatMap(({ name }) => ['--mutant', name])),
    minutes: 10,
  }),
);

const benches = [
  'hot-path',
  'signatures',
  'cold-start',
  'rows',
  'batch-loop',
  'intake',
  'growth',
  'catalog-file',
  'lanes',
  'idle-stack',
  'limiter',
].map((name): Step => ({ name: `bench: ${name}`, command: script('bench', name), minutes: 2 }));

/** All of `npm run prove`, what fails soonest first. */
export const steps: readonly Step[] = [
  ...longTests,
  ...shuffles,
  { name: 'DynamoDB Local (needs Java 17)', command: script('test:dynamodb-local'), minutes: 3 },
  { name: 'chaos: 50,000 events', command: script('chaos', '--seed', '7'), minutes: 6 },
  ...seeds,
  ...mistakes,
  ...benches,
  ...large,
];

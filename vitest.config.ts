import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { assertNode24 } from './local/run/node-version.ts';
import { temporaryFolder } from './test/infra/support/temporary-folder.ts';
import { CORE, LONG, LONGEST_FIRST } from './test/tiers.ts';

assertNode24();

// Hundreds of processes load the same files (workers of Vitest, the command line, the CDK): they are compiled once.
process.env.NODE_COMPILE_CACHE ??= join(tmpdir(), 'marketplace-connector-compile-cache');

// The CDK's validation of templates takes two thirds of each synthesis. test/infra/validation.test.ts has it.
process.env.CDK_VALIDATION ??= 'false';

/** Test files at a time: two cores are what the tests are to pass on, and by default one of them would be left idle. */
const maxWorkers = 2;
const setupFiles = ['test/seed-properties.ts'];

/** Without it, a fresh clone starts the largest file first, and a short one that takes minutes may be the last. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const index = LONGEST_FIRST.indexOf(relative(import.meta.dirname, moduleId));
      return index < 0 ? LONGEST_FIRST.length : index;
    };
    // A worker that is to run a file of another project is started anew, and loads all modules again.
    const ofProjects = Map.groupBy(await super.sort(files), ({ project }) => project);
    return [...ofProjects.values()].flatMap((some) => some.toSorted((a, b) => rank(a) - rank(b)));
  }
}

/** A sequencer of the configuration would take the place of the random one of `--sequence.shuffle`. */
const isShuffled = process.argv.some((arg) => arg.startsWith('--sequence.shuffle'));

const filesOf = (names: readonly string[]) => names.map((name) => `test/e2e/${name}.test.ts`);

/** Milliseconds. Timeouts only end what hangs: on a busy machine tests take ten times as long as on an idle one. */
const TIMEOUT = 120_000;
const LONG_TIMEOUT = 300_000;
/** What ends by itself when it makes no progress: each wait (`local/run/until.ts`), each seed (`Scheduler`). */
const NO_TIMEOUT = 0;

const simulation = {
  maxWorkers,
  isolate: false,
  testTimeout: NO_TIMEOUT,
};

const endToEnd = {
  // They wait for a large part of their time.
  maxWorkers: 4,
  // A second of CPU for each file would go to loading the same modules.
  isolate: false,
  // After all others: each of these starts many processes of its own.
  sequence: { groupOrder: 1 },
  globalSetup: ['test/e2e/support/synthesize-once.ts'],
  testTimeout: LONG_TIMEOUT,
  hookTimeout: LONG_TIMEOUT,
};

/** A test without an assertion could not fail. */
const asserting = { requireAssertions: true };

export default defineConfig({
  test: {
    ...(isShuffled ? {} : { sequence: { sequencer: LongestFirst } }),
    // The projects of `npm test` come first, then those that `npm run test:all` adds, then that of `npm run prove`.
    projects: [
      {
        test: {
          name: 'unit',
          maxWorkers,
          setupFiles,
          // Half of the time would go to loading the same modules for each file. What a test replaces is put back.
          isolate: false,
          restoreMocks: true,
          unstubEnvs: true,
          include: ['test/unit/**/*.test.ts'],
          expect: asserting,
          // The longest takes 1 s on 2 idle cores.
          testTimeout: TIMEOUT,
        },
      },
      {
        test: {
          name: 'contract',
          maxWorkers,
          setupFiles,
          isolate: false,
          include: ['test/contract/**/*.test.ts'],
          // A function that is waited for may have its cold start before it.
          expect: { poll: { timeout: 10_000 } },
          testTimeout: TIMEOUT,
          hookTimeout: TIMEOUT,
        },
      },
      {
        test: {
          name: 'docs',
          maxWorkers,
          isolate: false,
          include: ['test/docs/**/*.test.ts'],
          expect: asserting,
          testTimeout: TIMEOUT,
          hookTimeout: TIMEOUT,
        },
      },
      {
        test: {
          name: 'infra',
          maxWorkers,
          // The CDK takes seconds to load: once for all files.
          isolate: false,
          globalSetup: ['test/infra/support/temporary-folder.ts'],
          env: { TMPDIR: temporaryFolder },
          include: ['test/infra/**/*.test.ts'],
          testTimeout: TIMEOUT,
          hookTimeout: TIMEOUT,
        },
      },
      {
        test: {
          ...simulation,
          name: 'simulation',
          include: ['test/simulation/*.test.ts'],
        },
      },
      {
        test: {
          ...endToEnd,
          name: 'e2e',
          include: filesOf(CORE),
        },
      },
      {
        test: {
          ...simulation,
          name: 'simulation-rest',
          include: ['test/simulation/rest/*.test.ts'],
        },
      },
      {
        test: {
          name: 'browser',
          maxWorkers,
          include: ['test/browser/**/*.test.ts'],
          testTimeout: TIMEOUT,
          // The first start unpacks the browser.
          hookTimeout: TIMEOUT,
          expect: { poll: { timeout: 10_000 } },
        },
      },
      {
        test: {
          ...endToEnd,
          name: 'e2e-rest',
          include: ['test/e2e/**/*.test.ts'],
          exclude: filesOf([...CORE, ...LONG]),
        },
      },
      {
        test: {
          ...endToEnd,
          name: 'prove',
          include: filesOf(LONG),
        },
      },
    ],
  },
});

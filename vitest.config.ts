import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

// Hundreds of processes load the same files (workers of Vitest, the command line, the CDK): they are compiled once.
process.env.NODE_COMPILE_CACHE ??= join(tmpdir(), 'marketplace-connector-compile-cache');

/** Test files at a time: two cores are what the tests are to pass on, and by default one of them would be left idle. */
const maxWorkers = 2;
const setupFiles = ['test/seed-properties.ts'];

export default defineConfig({
  test: {
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
          // The longest takes 1 s on 2 idle cores.
          testTimeout: 30_000,
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
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'docs',
          maxWorkers,
          include: ['test/docs/**/*.test.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'infra',
          maxWorkers,
          // The CDK takes seconds to load: once for all files.
          isolate: false,
          include: ['test/infra/**/*.test.ts'],
          testTimeout: 60_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          name: 'simulation',
          maxWorkers,
          include: ['test/simulation/**/*.test.ts'],
          testTimeout: 120_000,
        },
      },
      {
        test: {
          name: 'browser',
          maxWorkers,
          include: ['test/browser/**/*.test.ts'],
          testTimeout: 60_000,
          // The first start unpacks the browser.
          hookTimeout: 120_000,
          expect: { poll: { timeout: 10_000 } },
        },
      },
      {
        test: {
          name: 'e2e',
          maxWorkers,
          // After all others: each of these starts many processes of its own.
          sequence: { groupOrder: 1 },
          include: ['test/e2e/**/*.test.ts'],
          globalSetup: ['test/e2e/support/synthesize-once.ts'],
          testTimeout: 90_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});

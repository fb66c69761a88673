/**
 * End-to-end tests of `npm test`: each property of docs/architecture.md once, and each way to each endpoint of the marketplace
 * with its effect, which `endpoints` has. The others run in `npm run test:all`.
 */
export const CORE = [
  'bad-input-events',
  'endpoints',
  'first-event',
  'prices',
  'secrets',
  'security',
  'stock',
  'unset-secret',
  'webhook',
];

/** Tests that take real time by their nature: `npm run prove`. */
export const LONG = ['catalog-parts', 'chaos', 'cost', 'large-stock-file', 'zero-first'];

/** The test files that take longest, the longest first: a long file that starts last leaves the other cores idle. */
export const LONGEST_FIRST = [
  'test/e2e/runbook.test.ts',
  'test/e2e/library.test.ts',
  'test/e2e/rollback.test.ts',
  'test/e2e/console/drift.test.ts',
  'test/e2e/console/ways-out.test.ts',
  'test/e2e/alarms.test.ts',
  'test/e2e/cli.test.ts',
  'test/e2e/stock-files.test.ts',
  'test/e2e/console/screens.test.ts',
  'test/e2e/drift.test.ts',
  'test/e2e/unset-secret.test.ts',
  'test/e2e/catalog.test.ts',
  'test/e2e/upgrade.test.ts',
  'test/e2e/orders.test.ts',
  'test/e2e/cli-drift.test.ts',
  'test/e2e/products.test.ts',
  'test/e2e/endpoints.test.ts',
  'test/infra/marketplace-connector.test.ts',
  'test/infra/bundle.test.ts',
  'test/unit/lanes/throughput.test.ts',
  'test/unit/rejections/bounded-rejections.test.ts',
  'test/unit/imports/use-cases/import-memory.test.ts',
  'test/unit/run/command-arguments.test.ts',
  'test/unit/cli/program.test.ts',
];

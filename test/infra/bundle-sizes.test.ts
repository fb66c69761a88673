import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundleHandlers } from '../../infra/bundle.ts';
import type { FunctionName } from '../../infra/function-names.ts';
import { sizeOf } from '../../tools/bench/cold-start/bundles.ts';

/**
 * Most thousands of bytes and source files in each bundle: a few hundredths above what they have. The time of a
 * cold start grows with them, and depends on the machine; these do not.
 */
const limits: Readonly<Record<FunctionName, readonly [kilobytes: number, files: number]>> = {
  'change-intake': [450, 445],
  'listing-producer': [630, 480],
  'lane-waker': [370, 400],
  'catalog-importer': [465, 445],
  'product-producer': [690, 500],
  'order-producer': [645, 480],
  'document-fetcher': [620, 470],
  'webhook-receiver': [155, 72],
  'onboarding-callback': [545, 420],
  'summary-processor': [410, 405],
  'batch-sweeper': [705, 520],
  'listing-verifier': [605, 475],
  'operations-api': [805, 600],
};

let directory: string;
let folders: Record<FunctionName, string>;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'connector-sizes-'));
  folders = await bundleHandlers({ outputDirectory: directory });
});

afterAll(() => rmSync(directory, { recursive: true, force: true }));

test.each(Object.entries(limits))('the bundle of %s stays small', (name, [kilobytes, files]) => {
  const size = sizeOf(folders[name as FunctionName]);
  expect(size.kilobytes).toBeLessThanOrEqual(kilobytes);
  expect(size.files).toBeLessThanOrEqual(files);
});

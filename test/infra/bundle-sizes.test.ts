import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundleHandlers } from '../../infra/bundle.ts';
import type { FunctionName } from '../../infra/function-names.ts';
import { sizeOf } from '../bench/cold-start/bundles.ts';

/**
 * Most thousands of bytes and source files in each bundle: a few hundredths above what they have. The time of a
 * cold start grows with them, and depends on the machine; these do not.
 */
const limits: Readonly<Record<FunctionName, readonly [kilobytes: number, files: number]>> = {
  'change-intake': [450, 445],
  'listing-producer': [655, 485],
  'lane-waker': [390, 400],
  'catalog-importer': [630, 565],
  'product-producer': [690, 505],
  'order-producer': [670, 485],
  'document-fetcher': [820, 595],
  'webhook-receiver': [175, 75],
  'onboarding-callback': [570, 425],
  'summary-processor': [435, 410],
  'batch-sweeper': [880, 645],
  'listing-verifier': [635, 475],
  'operations-api': [990, 735],
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

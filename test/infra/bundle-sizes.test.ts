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
  'change-intake': [525, 510],
  'listing-producer': [825, 575],
  // It also publishes events: that the marketplace fails, and that it has recovered.
  'lane-waker': [440, 460],
  // It also follows the rows of files, which reads batches.
  'catalog-importer': [725, 640],
  'product-producer': [1070, 720],
  'order-producer': [1010, 700],
  'document-fetcher': [985, 685],
  'webhook-receiver': [535, 500],
  'onboarding-callback': [740, 500],
  'summary-processor': [630, 580],
  'batch-sweeper': [1075, 725],
  'listing-verifier': [805, 555],
  'operations-api': [1210, 845],
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

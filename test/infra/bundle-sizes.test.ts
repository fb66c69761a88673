import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundleHandlers } from '../../infra/bundle.ts';
import type { FunctionName } from '../../infra/function-names.ts';
import { sizeOf } from '../bench/cold-start/bundles.ts';

/**
 * Most thousands of bytes and source files in each bundle: a tenth above what docs/performance.md shows. They grow with the
 * time of a cold start, which depends on the machine; these do not.
 */
const limits: Readonly<Record<FunctionName, readonly [kilobytes: number, files: number]>> = {
  'change-intake': [495, 505],
  'listing-producer': [710, 545],
  'lane-waker': [435, 450],
  'catalog-importer': [680, 630],
  'product-producer': [745, 565],
  'order-producer': [720, 545],
  'document-fetcher': [885, 665],
  'webhook-receiver': [180, 75],
  'onboarding-callback': [620, 485],
  'summary-processor': [475, 470],
  'batch-sweeper': [945, 720],
  'listing-verifier': [690, 540],
  'operations-api': [1060, 815],
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

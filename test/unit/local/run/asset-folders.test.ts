import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { assetFolders } from '../../../../local/aws/run/asset-folders.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'assembly-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

test('an asset is where the assembly says: a stage has its assets in the folder above', () => {
  const files = { a1: { displayName: 'Code', source: { path: '../asset.a1', packaging: 'zip' } } };
  writeFileSync(join(folder, 'Shop.assets.json'), JSON.stringify({ version: '55.0.0', files }));
  expect(assetFolders(folder)('a1')).toBe(join(folder, '../asset.a1'));
});

test('an asset that no assembly names is in the folder of its hash', () => {
  expect(assetFolders(folder)('b2')).toBe(join(folder, 'asset.b2'));
});

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { namesOfTwoFolders } from '../../../tools/imports/export-names.ts';

test('a name that files of two folders export is found, and one that a folder exports twice is not', () => {
  const root = mkdtempSync(join(tmpdir(), 'export-names-'));
  const files = {
    'shared/orders/model.ts': 'export interface Row {}\nexport const handler = 1;\n',
    'shared/batches/rules/row.ts': 'export type Row = string;\nexport function* rows() {}\n',
    'shared/batches/rows.ts': 'export async function rows() {}\nexport const handler = 2;\n',
  };
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(join(root, dirname(file)), { recursive: true });
    writeFileSync(join(root, file), text);
  }
  expect(namesOfTwoFolders(root, Object.keys(files))).toEqual([
    { name: 'Row', files: ['shared/orders/model.ts', 'shared/batches/rules/row.ts'] },
  ]);
  rmSync(root, { recursive: true });
});

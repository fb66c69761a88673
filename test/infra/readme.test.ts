import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { settingsSchema } from '../../infra/settings.ts';

test('the README documents every setting', async () => {
  const readme = await readFile(join(import.meta.dirname, '..', '..', 'README.md'), 'utf8');
  const names = Object.keys(settingsSchema.shape);
  expect(names.filter((name) => !readme.includes(`\`${name}\``))).toEqual([]);
});

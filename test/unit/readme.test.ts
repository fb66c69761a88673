import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

const root = join(import.meta.dirname, '..', '..');
const readme = await readFile(join(root, 'README.md'), 'utf8');

describe('the README', () => {
  test('names only existing npm scripts', async () => {
    const { scripts } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
    const named = [...readme.matchAll(/npm run ([a-z]+)/g)].map(([, script]) => script);
    expect(named.filter((script) => !(String(script) in scripts))).toEqual([]);
  });

  test('links only to existing files', async () => {
    const links = [...readme.matchAll(/\]\(([^)#:]+)\)/g)].map(([, path]) => String(path));
    for (const link of links) await expect(stat(join(root, link))).resolves.toBeDefined();
  });
});

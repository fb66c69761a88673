import { globSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { relativeLinks } from './markdown.ts';

const root = join(import.meta.dirname, '..', '..');
/** npm packs them in any case. */
const ALWAYS = ['package.json', 'README.md', 'LICENSE'];

test('pages in the package link to files that are in the package', () => {
  const paths = new Set([
    ...ALWAYS,
    ...globSync(
      manifest.files.flatMap((entry) => [entry, `${entry}/**`]),
      { cwd: root },
    ),
  ]);
  const pages = [...paths].filter((path) => path.endsWith('.md'));
  const broken = pages.flatMap((page) =>
    relativeLinks(page)
      .filter(({ target }) => !paths.has(target.replace(/\/$/, '')))
      .map(({ target }) => `${page}: ${target}`),
  );
  expect(pages).toContain('docs/library.md');
  expect(broken).toEqual([]);
});

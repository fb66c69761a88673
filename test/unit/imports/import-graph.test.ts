import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { folderCircles } from '../../../tools/imports/folder-circles.ts';
import { loadedBy, readImportGraph } from '../../../tools/imports/import-graph.ts';
import { impureRules } from '../../../tools/imports/pure-rules.ts';

const roots: string[] = [];

afterEach(async () => {
  for (const root of roots.splice(0)) await rm(root, { recursive: true });
});

/** The import graph of a repository with these files. */
async function graphOf(files: Readonly<Record<string, string>>) {
  const root = await mkdtemp(join(tmpdir(), 'imports-'));
  roots.push(root);
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  return readImportGraph(root);
}

test('a file loads its imports and re-exports at any distance, except types and packages', async () => {
  const graph = await graphOf({
    'functions/f/handler.ts': `import { z } from 'zod';
import type { A } from '../../shared/a/a.ts';
import { type B, type C } from '../../shared/b/b.ts';
import { type D, d } from '../../shared/d/d.ts';
import {
  type E,
  e,
} from '../../shared/d/e.ts';
`,
    'shared/a/a.ts': '',
    'shared/b/b.ts': '',
    'shared/d/d.ts': "export * from './f.ts';\n",
    'shared/d/e.ts': '',
    'shared/d/f.ts': "import './d.ts';\n",
  });
  expect(loadedBy(graph, ['functions/f/handler.ts'])).toEqual([
    'functions/f/handler.ts',
    'shared/d/d.ts',
    'shared/d/e.ts',
    'shared/d/f.ts',
  ]);
});

test('folders of shared/ that import each other are reported as a circle, also for types and across a third folder', async () => {
  const graph = await graphOf({
    'shared/a/one.ts': "import type { B } from '../b/one.ts';\n",
    'shared/b/one.ts': "import { c } from '../c/deep/one.ts';\n",
    'shared/c/two.ts': "export { a } from '../a/two.ts';\n",
    'shared/c/deep/one.ts': "import { d } from '../../d/one.ts';\n",
    'shared/a/two.ts': '',
    'shared/d/one.ts': '',
  });
  expect(folderCircles(graph)).toEqual([
    {
      folders: ['shared/a', 'shared/b', 'shared/c'],
      imports: [
        'shared/a → shared/b: shared/a/one.ts → shared/b/one.ts',
        'shared/b → shared/c: shared/b/one.ts → shared/c/deep/one.ts',
        'shared/c → shared/a: shared/c/two.ts → shared/a/two.ts',
      ],
    },
  ]);
});

test('a folder of cli/ or infra/ and a file beside it that import each other are reported as a circle', async () => {
  const graph = await graphOf({
    'cli/terminal.ts': "import { visible } from './render/visible.ts';\n",
    'cli/render/visible.ts': '',
    'cli/render/line.ts': "import type { Terminal } from '../terminal.ts';\n",
    'infra/settings.ts': "import { DAYS } from './constructs/queue.ts';\n",
    'infra/constructs/queue.ts': '',
    'infra/constructs/api.ts': "import type { Settings } from '../settings.ts';\n",
  });
  expect(folderCircles(graph).map(({ folders }) => folders)).toEqual([
    ['cli/render', 'cli/terminal.ts'],
    ['infra/constructs', 'infra/settings.ts'],
  ]);
});

test('rules that load an adapter or a use case by way of another file are reported, and types are not loaded', async () => {
  const graph = await graphOf({
    'shared/a/rules/direct.ts': "import { b } from '../../b/b.ts';\n",
    'shared/a/rules/pure.ts': "import type { B } from '../../b/b.ts';\nimport { c } from '../model.ts';\n",
    'shared/a/model.ts': '',
    'shared/a/use-cases/use.ts': "import { t } from '../../aws/table.ts';\n",
    'shared/b/b.ts': "export { u } from '../a/use-cases/use.ts';\n",
    'shared/aws/table.ts': '',
  });
  expect(impureRules(graph)).toEqual([
    { file: 'shared/a/rules/direct.ts', loads: ['shared/a/use-cases/use.ts', 'shared/aws/table.ts'] },
  ]);
});

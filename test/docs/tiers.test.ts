import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CORE, LONG, LONGEST_FIRST } from '../tiers.ts';

const root = join(import.meta.dirname, '..', '..');
const exists = (file: string) => globSync(file, { cwd: root }).length > 0;

/** Whether `npm test` runs something that a property's page names as its proof. */
function isProvenByTest(proof: string): boolean {
  const files = proof.match(/test\/[\w./-]+/g) ?? [];
  return (
    proof.includes('npm run simulate') ||
    files.some((file) =>
      file.startsWith('test/e2e/')
        ? CORE.some((name) => file === `test/e2e/${name}.test.ts`)
        : /^test\/(unit|contract|infra|docs)\//.test(file),
    )
  );
}

test('each property is proven by something that npm test runs', () => {
  const page = readFileSync(join(root, 'docs/architecture.md'), 'utf8');
  const properties = [...page.matchAll(/^### (P\d+) [\s\S]*?^Proven by ([\s\S]*?)\n\n/gm)];
  expect(properties.map(([, name]) => name)).toEqual(
    Array.from({ length: 12 }, (_, index) => `P${index + 1}`),
  );
  const unproven = properties.filter(([, , proof = '']) => !isProvenByTest(proof));
  expect(unproven.map(([, name]) => name)).toEqual([]);
});

test('npm test reaches every endpoint of the marketplace', () => {
  expect(CORE).toContain('endpoints');
});

test('every test file that a tier names is there', () => {
  const named = [...[...CORE, ...LONG].map((name) => `test/e2e/${name}.test.ts`), ...LONGEST_FIRST];
  expect(named.filter((file) => !exists(file))).toEqual([]);
});

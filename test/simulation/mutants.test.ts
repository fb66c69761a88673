import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { withMistake } from './mutants/build-mutant.ts';
import { mutants } from './mutants/catalog.ts';

const COMPILER = join(import.meta.dirname, '..', '..', 'node_modules', '.bin', 'tsc');
/** What tsc says of a name that is not there. */
const UNKNOWN_NAME = /error TS(2304|2552|2503|18004): (.+)$/gm;

test.each(mutants)('the text of the mutant "$name" occurs exactly once in its file', async (mutant) => {
  expect(await withMistake(mutant)).toContain(mutant.replace);
});

test('every mutant has a unique name', () => {
  const names = mutants.map(({ name }) => name);
  expect(names).toEqual([...new Set(names)]);
});

test('no mutant names what is not there: it would be caught by its exception, not by its mistake', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'mutants-'));
  try {
    const files = mutants.map(async (mutant, index) =>
      writeFile(join(folder, `${index}.ts`), await withMistake(mutant)),
    );
    await Promise.all(files);
    // Without what the files import, their types are errors, and their names are not.
    const compilerOptions = {
      noEmit: true,
      noResolve: true,
      target: 'esnext',
      module: 'nodenext',
      types: [],
    };
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
    const output = await new Promise<string>((resolve) => {
      const limits = { maxBuffer: 2 ** 26 };
      execFile(COMPILER, ['--project', folder, '--pretty', 'false'], limits, (_error, text) => resolve(text));
    });

    expect(output).toContain('error TS2307: Cannot find module');
    expect([...output.matchAll(UNKNOWN_NAME)].map(([, , message]) => message)).toEqual([]);
  } finally {
    await rm(folder, { recursive: true });
  }
});

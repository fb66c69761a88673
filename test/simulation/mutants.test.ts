import { expect, test } from 'vitest';
import { withMistake } from './mutants/build-mutant.ts';
import { mutants } from './mutants/catalog.ts';

test.each(mutants)('the text of the mutant "$name" occurs exactly once in its file', async (mutant) => {
  expect(await withMistake(mutant)).toContain(mutant.replace);
});

test('every mutant has a unique name', () => {
  const names = mutants.map(({ name }) => name);
  expect(names).toEqual([...new Set(names)]);
});

import { expect, test } from 'vitest';
import { withMistake } from './mutants/build-mutant.ts';
import { mutants } from './mutants/catalog.ts';

test.each(mutants)('the text of "$name" stands where the mistake is to be switched in', async (mutant) => {
  expect(await withMistake(mutant)).toContain(mutant.replace);
});

test('each mutant has a name of its own', () => {
  const names = mutants.map(({ name }) => name);
  expect(names).toEqual([...new Set(names)]);
});

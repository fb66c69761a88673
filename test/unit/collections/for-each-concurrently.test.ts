import { expect, test } from 'vitest';
import { forEachConcurrently, mapConcurrently } from '../../../shared/collections/for-each-concurrently.ts';

/** Processes `items`, two at a time; those in `failing` fail. */
async function run(items: readonly string[], failing: readonly string[]) {
  const begun: string[] = [];
  const ended: string[] = [];
  const work = forEachConcurrently(items, 2, async (item) => {
    begun.push(item);
    expect(begun.length - ended.length).toBeLessThanOrEqual(2);
    await Promise.resolve();
    ended.push(item);
    if (failing.includes(item)) throw new Error(item);
  });
  const failure = await work.catch((error: unknown) => error);
  return { begun, ended, failure };
}

test('every item is processed, with at most the limit at a time', async () => {
  const { ended, failure } = await run(['a', 'b', 'c', 'd', 'e'], []);
  expect(ended).toEqual(['a', 'b', 'c', 'd', 'e']);
  expect(failure).toBeUndefined();
});

test('a failure does not stop the other items, and is thrown at the end', async () => {
  const { ended, failure } = await run(['a', 'b', 'c', 'd', 'e'], ['b']);
  expect(ended).toEqual(['a', 'b', 'c', 'd', 'e']);
  expect(failure).toEqual(new Error('b'));
});

test('no further item is started after as many failures as the limit', async () => {
  const { begun, ended, failure } = await run(['a', 'b', 'c', 'd', 'e'], ['a', 'c']);
  expect(begun).not.toContain('e');
  expect(ended).toEqual(begun);
  expect(failure).toBeInstanceOf(Error);
});

test('mapConcurrently returns the results in the order of the items, whichever ends first', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const results = mapConcurrently(['a', 'b'], 2, async (item) => {
    if (item === 'a') await promise;
    else resolve();
    return item.toUpperCase();
  });
  expect(await results).toEqual(['A', 'B']);
});

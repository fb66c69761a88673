import { expect, test } from 'vitest';
import { sharedRead } from '../../../../cli/console/data/shared-read.ts';

function counting(fails: readonly number[] = []) {
  let count = 0;
  const read = async () => {
    count += 1;
    if (fails.includes(count)) throw new Error(`read ${count}`);
    return count;
  };
  let time = 0;
  const shared = sharedRead(read, { maxAgeMs: 100, now: () => time });
  return { ...shared, at: (given: number) => (time = given) };
}

test('callers share a read until it is too old', async () => {
  const shared = counting();
  expect(await Promise.all([shared.get(), shared.get()])).toEqual([1, 1]);
  shared.at(99);
  expect(await shared.get()).toBe(1);
  shared.at(100);
  expect(await shared.get()).toBe(2);
});

test('a read that failed is not kept', async () => {
  const shared = counting([1]);
  await expect(shared.get()).rejects.toThrow('read 1');
  expect(await shared.get()).toBe(2);
});

test('after a change the next caller reads again', async () => {
  const shared = counting();
  await shared.get();
  shared.forget();
  expect(await shared.get()).toBe(2);
});

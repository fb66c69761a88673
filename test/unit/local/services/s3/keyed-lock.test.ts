import { expect, test } from 'vitest';
import { createKeyedLock } from '../../../../../local/aws/services/s3/keyed-lock.ts';

test('work on one key runs one after the other, and work on another key concurrently', async () => {
  const lock = createKeyedLock();
  const done: string[] = [];
  const gate = Promise.withResolvers<void>();
  const first = lock.run('a', async () => {
    await gate.promise;
    done.push('first');
  });
  const second = lock.run('a', async () => done.push('second'));
  await lock.run('b', async () => done.push('other'));
  gate.resolve();
  await Promise.all([first, second]);
  expect(done).toEqual(['other', 'first', 'second']);
});

test('failed work lets the next one run', async () => {
  const lock = createKeyedLock();
  const failed = lock.run('a', () => Promise.reject(new Error('broken')));
  const next = lock.run('a', async () => 'next');
  await expect(failed).rejects.toThrow('broken');
  await expect(next).resolves.toBe('next');
});

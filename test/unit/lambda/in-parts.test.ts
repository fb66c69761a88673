import { expect, test, vi } from 'vitest';
import { logger } from '../../../shared/lambda/observability.ts';
import { inParts } from '../../../shared/lambda/schedule-handler.ts';

test('work of which no part fails is done', async () => {
  const done: string[] = [];
  await inParts(async () => void done.push('all'));
  expect(done).toEqual(['all']);
});

test('work of which parts failed goes on to its end, and fails by all of them', async () => {
  const log = vi.spyOn(logger, 'error').mockReturnValue();
  const failures = [new Error('one'), new Error('two')];
  const done: string[] = [];
  const work = inParts(async (onFailure) => {
    for (const failure of failures) onFailure(failure);
    done.push('the rest');
  });
  await expect(work).rejects.toMatchObject({ errors: failures, message: '2 parts of the work failed' });
  expect(done).toEqual(['the rest']);
  expect(log.mock.calls.map(([, facts]) => facts)).toMatchObject([{ reason: 'one' }, { reason: 'two' }]);
  log.mockRestore();
});

test('work that fails as a whole fails by that', async () => {
  const failure = new Error('no table');
  await expect(inParts(() => Promise.reject(failure))).rejects.toBe(failure);
});

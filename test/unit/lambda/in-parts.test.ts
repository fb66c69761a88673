import { expect, test, vi } from 'vitest';
import { logger } from '../../../shared/lambda/observability.ts';
import { inParts } from '../../../shared/lambda/schedule-handler.ts';

test('inParts succeeds when no part fails', async () => {
  const done: string[] = [];
  await inParts(async () => void done.push('all'));
  expect(done).toEqual(['all']);
});

test('inParts completes the work when parts fail, then throws all their errors', async () => {
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

test('inParts throws the error of work that fails as a whole', async () => {
  const failure = new Error('no table');
  await expect(inParts(() => Promise.reject(failure))).rejects.toBe(failure);
});

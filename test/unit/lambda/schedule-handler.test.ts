import { beforeEach, expect, test, vi } from 'vitest';
import { logger, metrics } from '../../../shared/lambda/observability.ts';
import { scheduleHandler } from '../../../shared/lambda/schedule-handler.ts';

beforeEach(() => void vi.spyOn(metrics, 'publishStoredMetrics').mockReturnValue(metrics));

/** Runs scheduled work as Lambda does. */
function run(work: Parameters<typeof scheduleHandler>[0]) {
  return scheduleHandler(work)({} as never, { getRemainingTimeInMillis: () => 60_000 } as never);
}

test('scheduled work succeeds when no part of it fails', async () => {
  const done: string[] = [];
  await run(async () => void done.push('all'));
  expect(done).toEqual(['all']);
});

test('scheduled work is completed when parts of it fail, and then throws all their errors', async () => {
  const log = vi.spyOn(logger, 'error').mockReturnValue();
  const failures = [new Error('one'), new Error('two')];
  const done: string[] = [];
  const work = run(async (_, onFailure) => {
    for (const failure of failures) onFailure(failure);
    done.push('the rest');
  });
  await expect(work).rejects.toMatchObject({ errors: failures, message: '2 parts of the work failed' });
  expect(done).toEqual(['the rest']);
  expect(log.mock.calls.map(([, facts]) => facts)).toMatchObject([{ reason: 'one' }, { reason: 'two' }]);
  log.mockRestore();
});

test('scheduled work that fails as a whole throws its error', async () => {
  const failure = new Error('no table');
  await expect(run(() => Promise.reject(failure))).rejects.toBe(failure);
});

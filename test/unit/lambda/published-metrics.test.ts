import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { addCount, metrics } from '../../../shared/lambda/observability.ts';
import { scheduleHandler } from '../../../shared/lambda/schedule-handler.ts';

const written: string[] = [];

beforeEach(() => {
  for (const stream of [process.stdout, process.stderr]) {
    vi.spyOn(stream, 'write').mockImplementation((text) => {
      written.push(String(text));
      return true;
    });
  }
});

afterEach(() => {
  vi.restoreAllMocks();
  written.length = 0;
});

/** The lines that an invocation with this work writes. */
async function linesOf(work: () => Promise<void>): Promise<string[]> {
  await scheduleHandler(work)({} as never, { getRemainingTimeInMillis: () => 60_000 } as never).catch(
    () => {},
  );
  return written.flatMap((text) => text.split('\n')).filter((line) => line !== '');
}

test('an invocation that counts nothing writes no line about it', async () => {
  expect(await linesOf(async () => {})).toEqual([]);
});

test.each([
  ['succeeds', false],
  ['fails', true],
])(
  'an invocation that counts and %s publishes what it has counted, and leaves nothing to the next',
  async (_, fails) => {
    const published = vi.spyOn(metrics, 'publishStoredMetrics');
    const lines = await linesOf(async () => {
      addCount('RowsSent', 3);
      if (fails) throw new Error('no table');
    });
    expect(published).toHaveBeenCalledTimes(1);
    expect(metrics.hasStoredMetrics()).toBe(false);
    expect(lines.join()).not.toContain('No application metrics');
  },
);

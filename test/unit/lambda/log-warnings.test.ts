import { expect, test, vi } from 'vitest';
import { logger, logWarnings, metrics } from '../../../shared/lambda/observability.ts';

test('warnings about rows are lines of the log with their event and their first positions, and their rows are counted', () => {
  const counted = vi.spyOn(metrics, 'addMetric').mockReturnValue(metrics);
  const warned = vi.spyOn(logger, 'warn').mockReturnValue(undefined);
  const warning = { code: 'SKU_WHITE_SPACE', message: '"A " has white space', rows: 12, numbers: [0, 4] };
  logWarnings([
    { ...warning, ...{ eventId: 'e-1', storeClientId: 's-1' } },
    { ...warning, rows: 1 },
  ]);
  logWarnings([]);
  const calls = [counted.mock.calls, warned.mock.calls];
  counted.mockRestore();
  warned.mockRestore();
  const { message: reason, ...facts } = warning;
  expect(calls).toEqual([
    [['RowsWarned', 'Count', 13]],
    [
      ['rows to look at', { ...facts, eventId: 'e-1', storeClientId: 's-1', reason }],
      ['rows to look at', { ...facts, rows: 1, reason }],
    ],
  ]);
});

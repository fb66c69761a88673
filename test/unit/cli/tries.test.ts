import { expect, test } from 'vitest';
import { triesText } from '../../../cli/render/tries.ts';

test('several tries are counted with why the last one failed; of a single try nothing is said', () => {
  expect(triesText(undefined)).toBeUndefined();
  expect(triesText({ count: 2 })).toBe('2 tries');
  const lastFailed = { outcome: 'refused', status: 503, code: 'SYS_DEP_503', message: 'try later' };
  expect(triesText({ count: 3, lastFailed })).toBe(
    '3 tries, the last that failed: 503 SYS_DEP_503: try later',
  );
  expect(triesText({ count: 3, lastFailed: { outcome: 'unknown' } })).toBe(
    '3 tries, the last that failed: unknown',
  );
});

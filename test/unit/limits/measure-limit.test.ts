import { expect, test } from 'vitest';
import { freshLimit } from '../../../shared/limits/rules/reserve.ts';
import { measureLimit } from '../../../shared/limits/use-cases/measure-limit.ts';
import { inMemoryLimitTable } from '../../doubles/in-memory-limit-table.ts';

const MINUTE = 29_000_000;
const clock = { now: () => MINUTE * 60_000 + 5_000 };
const settings = { limitId: 'partner', requestsPerSecond: 5 };

test('a limit that was never used has no measures', async () => {
  expect(await measureLimit({ limits: inMemoryLimitTable(), clock }, settings)).toBeUndefined();
});

test('a limit is as full as the minute before was, in percent', async () => {
  const limits = inMemoryLimitTable();
  await limits.update('partner', () => ({
    ...freshLimit('partner'),
    minute: MINUTE,
    granted: 7,
    grantedBefore: 75,
  }));
  expect(await measureLimit({ limits, clock }, settings)).toEqual({ utilization: 25, stopped: false });
});

test('a stop of the lanes is seen', async () => {
  const limits = inMemoryLimitTable();
  const stop = { code: 'AUTH_010', message: 'm', since: 0, retryAt: 0 };
  await limits.update('partner', () => ({ ...freshLimit('partner'), stop }));
  expect(await measureLimit({ limits, clock }, settings)).toEqual({ utilization: 0, stopped: true });
});

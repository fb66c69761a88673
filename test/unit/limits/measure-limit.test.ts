import { expect, test } from 'vitest';
import { measureLimit } from '../../../shared/limits/measure-limit.ts';
import { freshLimit, type Limit } from '../../../shared/limits/model.ts';
import { inMemoryLimitTable } from '../../doubles/in-memory-limit-table.ts';

const NOW = Date.UTC(2026, 0, 1);
const clock = { now: () => NOW };
const settings = { limitIds: ['partner'], requestsPerSecond: 5 };

async function tableOf(limit: Partial<Limit>) {
  const limits = inMemoryLimitTable();
  await limits.create({ ...freshLimit('partner'), ...limit });
  return limits;
}

test('a limit that was never used has no measures', async () => {
  expect(await measureLimit({ limits: inMemoryLimitTable(), clock }, settings)).toBeUndefined();
});

test('utilization is the percentage of the limit used in the last minute', async () => {
  const limits = await tableOf({
    succeeded: 170,
    failed: 5,
    minutes: [{ at: NOW - 60_000, succeeded: 98, failed: 2 }],
  });
  expect(await measureLimit({ limits, clock }, settings)).toEqual({ utilization: 25, stopped: false });
  const later = { now: () => NOW + 60_000 };
  expect(await measureLimit({ limits, clock: later }, settings)).toMatchObject({ utilization: 0 });
});

test('the first measure of a limit is 0 %', async () => {
  const limits = await tableOf({ succeeded: 175 });
  expect(await measureLimit({ limits, clock }, settings)).toMatchObject({ utilization: 0 });
});

test('a stop of the lanes is reported', async () => {
  const limits = await tableOf({ stop: { code: 'AUTH_010', message: 'm', since: 0, retryAt: 0 } });
  expect(await measureLimit({ limits, clock }, settings)).toMatchObject({ stopped: true });
});

test('a limit that is divided over items is measured as a whole', async () => {
  const minutes = [{ at: NOW - 60_000, succeeded: 0, failed: 0 }];
  const limits = await tableOf({ succeeded: 30, minutes });
  await limits.create({ ...freshLimit('partner#1'), succeeded: 90, minutes });
  const divided = { limitIds: ['partner', 'partner#1'], requestsPerSecond: 5 };
  expect(await measureLimit({ limits, clock }, divided)).toEqual({ utilization: 40, stopped: false });
});

test('the counts of the last five minutes stay known, however often the limit is measured', async () => {
  const limits = await tableOf({ succeeded: 10, failed: 2 });
  const measureAt = (seconds: number) =>
    measureLimit({ limits, clock: { now: () => NOW + seconds * 1_000 } }, settings);
  for (let seconds = 0; seconds <= 900; seconds += 1) await measureAt(seconds);
  const { minutes = [] } = (await limits.get('partner')) ?? {};
  const ages = minutes.map(({ at }) => 900 - (at - NOW) / 1_000);
  expect(ages[0]).toBeGreaterThanOrEqual(300);
  expect(ages[1]).toBeLessThan(300);
  expect(ages.length).toBeLessThanOrEqual(11);
});

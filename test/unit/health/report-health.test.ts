import { expect, test } from 'vitest';
import type { OutgoingEvent } from '../../../shared/events/outgoing.ts';
import { reportHealth } from '../../../shared/health/use-cases/report-health.ts';
import { freshLimit } from '../../../shared/limits/model.ts';
import { inMemoryEventPublisher } from '../../doubles/in-memory-event-publisher.ts';
import { inMemoryLimitTable } from '../../doubles/in-memory-limit-table.ts';

const NOW = Date.parse('2026-11-21T01:10:00.000Z');

test('that the marketplace fails is published once, and once that it has recovered', async () => {
  const limits = inMemoryLimitTable();
  const events: OutgoingEvent[] = [];
  const ports = { limits, events: inMemoryEventPublisher(undefined, events), clock: { now: () => NOW } };
  const since = NOW - 130_000;
  const failure = { at: NOW - 1_000, status: 503, code: 'SYS_DEP_503' };
  await limits.create({ ...freshLimit('partner'), failed: 5, failingSince: since, failure });
  expect(await reportHealth(ports, ['partner'])).toMatchObject({ isFailing: true });
  expect(await reportHealth(ports, ['partner'])).toMatchObject({ isFailing: true });
  const iso = new Date(since).toISOString();
  expect(events).toEqual([
    {
      detailType: 'marketplace.failing',
      detail: expect.objectContaining({
        storeClientId: '-',
        since: iso,
        status: 503,
        code: 'SYS_DEP_503',
        failed: 5,
        message: expect.stringContaining(`answers 503 SYS_DEP_503 since ${iso}`),
      }),
    },
  ]);
  await limits.change('partner', {
    set: { failingSince: undefined, succeededAt: NOW },
    add: { succeeded: 20 },
  });
  expect(await reportHealth(ports, ['partner'])).toMatchObject({ isFailing: false });
  expect(await reportHealth(ports, ['partner'])).toMatchObject({ isFailing: false });
  expect(events.slice(1)).toEqual([
    {
      detailType: 'marketplace.recovered',
      detail: { storeClientId: '-', since: iso, recoveredAt: new Date(NOW).toISOString() },
    },
  ]);
});

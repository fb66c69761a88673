import { expect, test } from 'vitest';
import { versionSchema } from '../../../shared/events/incoming.ts';
import { isoTime } from '../../../shared/time/iso-time.ts';

const time = isoTime();

test.each([
  '2026-11-21T08:00:00Z',
  '2026-11-21T08:00:00z',
  '2026-11-21t08:00:00Z',
  '2026-11-21T08:00Z',
  '2026-11-21T15:00:00+0700',
  '2026-11-21T15:00:00+07',
  '2026-11-21T15:00+07:00',
  '2026-11-21T03:30:00-0430',
  '2026-11-21T08:00:00,000Z',
  '20261121T080000Z',
  '20261121T1500+0700',
])('%s is a time, as ISO 8601 allows this form', (given) => {
  expect(Date.parse(time.parse(given))).toBe(Date.UTC(2026, 10, 21, 8));
  expect(Date.parse(String(versionSchema.parse({ occurredAt: given }).occurredAt))).toBe(
    Date.UTC(2026, 10, 21, 8),
  );
});

test.each([
  ['has no offset from UTC', '2026-11-21T08:00:00'],
  ['is only a date', '2026-11-21'],
  ['is of no calendar', '2026-02-30T08:00:00+0000'],
  ['has no such hour', '20261121T250000Z'],
  ['is a date of mail', 'Sat, 21 Nov 2026 08:00:00 GMT'],
])('a text that %s is no time', (_, given) => {
  expect(time.safeParse(given).success).toBe(false);
  expect(versionSchema.safeParse({ occurredAt: given }).success).toBe(false);
});

test('a time keeps its milliseconds, after a comma too', () => {
  expect(time.parse('20261121T080000,125z')).toBe('2026-11-21T08:00:00.125Z');
});

test('a time before 1970 is refused in each form', () => {
  expect(versionSchema.safeParse({ occurredAt: '19691231T235959Z' }).success).toBe(false);
});

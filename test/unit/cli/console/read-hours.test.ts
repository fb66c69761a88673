import { expect, test } from 'vitest';
import { hoursOf } from '../../../../cli/console/data/read-hours.ts';
import type { ListedBatch } from '../../../../shared/batches/model.ts';

const HOUR_MS = 3_600_000;
const now = Date.parse('2026-11-27T12:20:00Z');
const begin = Date.parse('2026-11-27T09:00:00Z');

/** A batch with the fields that are counted. */
function batch(submittedAt: string, rows: Partial<ListedBatch['rows']>, endedAfterMs?: number): ListedBatch {
  const completedAt = endedAfterMs && new Date(Date.parse(submittedAt) + endedAfterMs).toISOString();
  return {
    submittedAt,
    ...(completedAt && { completedAt }),
    rows: { sent: 0, accepted: 0, rejected: 0, unknown: 0, ...rows },
    submission: { endsBy: 'summary', signedAt: Date.parse(submittedAt) },
  } as ListedBatch;
}

test('each hour has the rows of the batches that were sent in it, and the hours without a batch are there', () => {
  const batches = [
    batch('2026-11-27T12:10:00.000Z', { accepted: 2, unknown: 1 }),
    batch('2026-11-27T10:59:59.999Z', { accepted: 3, rejected: 1 }),
    batch('2026-11-27T10:00:00.000Z', { accepted: 4 }),
  ];
  const { hours } = hoursOf(batches, { begin, now, isCut: false });
  expect(hours.map(({ at, accepted, rejected, unknown }) => [at, accepted, rejected, unknown])).toEqual([
    ['2026-11-27T09:00:00.000Z', 0, 0, 0],
    ['2026-11-27T10:00:00.000Z', 7, 1, 0],
    ['2026-11-27T11:00:00.000Z', 0, 0, 0],
    ['2026-11-27T12:00:00.000Z', 2, 0, 1],
  ]);
});

test('an hour has how long answers took, and how long final summaries took, from the signature of their requests', () => {
  const byAnswer = (signedAt: string, answeredAt: string) =>
    ({
      ...batch(answeredAt, {}),
      completedAt: answeredAt,
      submission: { endsBy: 'answer', signedAt: Date.parse(signedAt) },
    }) as ListedBatch;
  const batches = [
    batch('2026-11-27T10:00:00.000Z', {}, 1_000),
    batch('2026-11-27T10:10:00.000Z', {}, 5_000),
    batch('2026-11-27T10:20:00.000Z', {}, 90_000),
    batch('2026-11-27T10:30:00.000Z', {}),
    byAnswer('2026-11-27T10:40:00.000Z', '2026-11-27T10:40:00.300Z'),
    byAnswer('2026-11-27T11:00:00.000Z', '2026-11-27T11:00:00.200Z'),
  ];
  const { hours } = hoursOf(batches, { begin: begin + HOUR_MS, now, isCut: false });
  expect(hours.map(({ answer, summary }) => [answer, summary])).toEqual([
    [
      { median: 300, longest: 300 },
      { median: 5_000, longest: 90_000 },
    ],
    [{ median: 200, longest: 200 }, undefined],
    [undefined, undefined],
  ]);
});

test('an hour is not shown if some of its batches were left out', () => {
  const batches = [batch('2026-11-27T12:10:00.000Z', {}), batch('2026-11-27T11:30:00.000Z', { accepted: 9 })];
  const { hours } = hoursOf(batches, { begin, now, isCut: true });
  expect(hours.map(({ at }) => at)).toEqual(['2026-11-27T12:00:00.000Z']);
});

import { expect, test } from 'vitest';
// @ts-expect-error The page's modules have no types.
import { csvOf } from '../../../../cli/console/public/csv.js';
// @ts-expect-error The page's modules have no types.
import { hasFailedLast } from '../../../../cli/console/public/health.js';
// @ts-expect-error The page's modules have no types.
import { briefly, duration } from '../../../../cli/console/public/times.js';
// @ts-expect-error The page's modules have no types.
import { deferredCommands } from '../../../../cli/console/public/words.js';

test('commands that wait for a later try are counted over their queues, and no other messages', () => {
  const queues = [
    { topic: 'OrderCommands', waiting: 3, delayed: 2 },
    { topic: 'DocumentCommands', waiting: 0, delayed: 1 },
    { topic: 'Wake', waiting: 0, delayed: 7 },
  ];
  expect(deferredCommands(queues)).toBe(3);
});

test('a saved list quotes what CSV needs, and no cell is taken as a formula', () => {
  const columns = { name: (row: { name: string }) => row.name, code: () => undefined };
  const rows = [{ name: 'a,b' }, { name: 'say "x"' }, { name: '=1+1' }, { name: '@x' }, { name: 'plain' }];
  expect(csvOf(columns, rows)).toBe(
    ['\uFEFFname,code', '"a,b",', '"say ""x""",', "'=1+1,", "'@x,", 'plain,', ''].join('\r\n'),
  );
});

test.each([
  [0, '0 s'],
  [41_999, '41 s'],
  [60_000, '1 min'],
  [3_599_000, '59 min'],
  [7_500_000, '2 h 5 min'],
  [7_200_000, '2 h'],
  [183_600_000, '2 d 3 h'],
])('%d ms ago reads %s', (milliseconds, text) => {
  expect(duration(milliseconds)).toBe(text);
});

test.each([
  [85, '85 ms'],
  [2_440, '2.4 s'],
  [61_000, '1 min'],
])('a latency of %d ms reads %s', (milliseconds, text) => {
  expect(briefly(milliseconds)).toBe(text);
});

test.each([
  ['the only request failed', 'healthy', { requests: 1, failed: 1 }, '07:59', undefined, true],
  ['nothing was sent since one failed', 'idle', { requests: 0, failed: 0 }, '07:00', '06:00', true],
  ['another one has succeeded', 'healthy', { requests: 9, failed: 1 }, '07:59', '07:58', false],
  ['the last one succeeded', 'idle', { requests: 0, failed: 0 }, '07:00', '07:01', false],
  ['the marketplace fails, which says it', 'failing', { requests: 3, failed: 3 }, '07:59', undefined, false],
])('that the last request failed is said: %s', (_, state, recent, failedAt, lastSuccessAt, isSaid) => {
  expect(hasFailedLast({ state, recent, lastFailure: { at: failedAt }, lastSuccessAt })).toBe(isSaid);
});

import { expect, test } from 'vitest';
import { parseRate } from '../../../../local/aws/events/schedule-expression.ts';

test.each([
  ['rate(1 minute)', 60_000],
  ['rate(5 minutes)', 300_000],
  ['rate(1 hour)', 3_600_000],
  ['rate(7 days)', 604_800_000],
])('%s is a period in milliseconds', (expression, period) => {
  expect(parseRate(expression)).toBe(period);
});

test.each([
  'every minute',
  'rate(1 minutes)',
  'rate(2 minute)',
  'rate(0 minutes)',
  'rate(5 seconds)',
  'cron(0 3 * * ? *)',
  'at(2026-11-21T12:00:00)',
])('%s is refused, as EventBridge does or as the local run does not know it', (expression) => {
  expect(() => parseRate(expression)).toThrow(expression);
});

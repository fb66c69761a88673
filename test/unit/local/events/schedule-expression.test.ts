import { describe, expect, test } from 'vitest';
import { parseSchedule } from '../../../local/events/schedule-expression.ts';

/** A Saturday. */
const NOW = Date.parse('2026-11-21T12:00:30Z');

function nextAfter(expression: string, after = NOW): string | undefined {
  const next = parseSchedule(expression)(after);
  return next === undefined ? undefined : new Date(next).toISOString();
}

test.each([
  ['rate(1 minute)', '2026-11-21T12:01:30.000Z'],
  ['rate(5 minutes)', '2026-11-21T12:05:30.000Z'],
  ['rate(1 hour)', '2026-11-21T13:00:30.000Z'],
  ['rate(7 days)', '2026-11-28T12:00:30.000Z'],
])('%s is counted from the previous time', (expression, next) => {
  expect(nextAfter(expression)).toBe(next);
});

test.each([
  ['cron(* * * * ? *)', '2026-11-21T12:01:00.000Z'],
  ['cron(0/15 * * * ? *)', '2026-11-21T12:15:00.000Z'],
  ['cron(0 3 * * ? *)', '2026-11-22T03:00:00.000Z'],
  ['cron(30 12 21 11 ? *)', '2026-11-21T12:30:00.000Z'],
  ['cron(15 10 ? * MON-FRI *)', '2026-11-23T10:15:00.000Z'],
  ['cron(0 8 1 * ? *)', '2026-12-01T08:00:00.000Z'],
  ['cron(0 0 ? JAN,jul 1 *)', '2027-01-03T00:00:00.000Z'],
  ['cron(0 9-17/4 * * ? *)', '2026-11-21T13:00:00.000Z'],
  ['cron(0 0 29 2 ? *)', '2028-02-29T00:00:00.000Z'],
  ['cron(0 0 1 1 ? 2030)', '2030-01-01T00:00:00.000Z'],
])('%s comes next at %s', (expression, next) => {
  expect(nextAfter(expression)).toBe(next);
});

test('the next time is later than the given one', () => {
  expect(nextAfter('cron(0 12 * * ? *)', Date.parse('2026-11-21T12:00:00Z'))).toBe(
    '2026-11-22T12:00:00.000Z',
  );
});

test('a one-time schedule runs once', () => {
  expect(nextAfter('at(2026-11-21T12:01:00)')).toBe('2026-11-21T12:01:00.000Z');
  expect(nextAfter('at(2026-11-21T12:00:00)')).toBeUndefined();
});

test('a cron expression in the past has no next time', () => {
  expect(nextAfter('cron(0 0 1 1 ? 2020)')).toBeUndefined();
});

describe('an expression is refused that EventBridge refuses or that is not supported', () => {
  test.each([
    'every minute',
    'rate(1 minutes)',
    'rate(2 minute)',
    'rate(0 minutes)',
    'rate(5 seconds)',
    'at(tomorrow)',
    'cron(* * * *)',
    'cron(* * * * * *)',
    'cron(* * ? * ? *)',
    'cron(60 * * * ? *)',
    'cron(5-1 * * * ? *)',
    'cron(1-2-3 * * * ? *)',
    'cron(*/0 * * * ? *)',
    'cron(0 0 L * ? *)',
    'cron(0 0 ? * 2#1 *)',
    'cron(0 0 ? * MUN *)',
  ])('%s', (expression) => {
    expect(() => parseSchedule(expression)).toThrow();
  });
});

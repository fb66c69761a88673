import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createScheduler } from '../../../../local/aws/events/scheduler.ts';

const START = Date.parse('2026-11-21T12:00:00Z');
const clock = { now: () => Date.now() };

beforeEach(() => {
  vi.useFakeTimers({ now: START });
});
afterEach(() => {
  vi.useRealTimers();
});

function setUp(expression: string, invoke: () => Promise<unknown> = async () => {}) {
  const due: string[] = [];
  const scheduler = createScheduler({
    expression,
    clock,
    invoke: (scheduledAt) => {
      due.push(new Date(scheduledAt).toISOString().slice(0, 16));
      return invoke();
    },
  });
  return { scheduler, due };
}

test('a scheduler runs at each scheduled time until it is stopped', async () => {
  const { scheduler, due } = setUp('rate(1 minute)');
  scheduler.start();
  await vi.advanceTimersByTimeAsync(59_999);
  expect(due).toEqual([]);
  await vi.advanceTimersByTimeAsync(60_001);
  expect(due).toEqual(['2026-11-21T12:01', '2026-11-21T12:02']);
  scheduler.stop();
  await vi.advanceTimersByTimeAsync(600_000);
  expect(due).toHaveLength(2);
});

test('a scheduler waits for a time that is further away than a timer reaches', async () => {
  const { scheduler, due } = setUp('rate(100 days)');
  scheduler.start();
  await vi.advanceTimersByTimeAsync(30 * 24 * 60 * 60_000);
  expect(due).toEqual([]);
  await vi.advanceTimersByTimeAsync(70 * 24 * 60 * 60_000);
  expect(due).toEqual(['2027-03-01T12:00']);
  scheduler.stop();
});

test('a scheduler starts the next run although the one before is slow', async () => {
  const { scheduler, due } = setUp('rate(1 minute)', () => new Promise(() => {}));
  scheduler.start();
  await vi.advanceTimersByTimeAsync(120_000);
  expect(due).toHaveLength(2);
  scheduler.stop();
});

test('a scheduler does not start again after it was stopped', async () => {
  const { scheduler, due } = setUp('rate(1 minute)');
  scheduler.stop();
  scheduler.start();
  await vi.advanceTimersByTimeAsync(120_000);
  expect(due).toEqual([]);
});

import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { scheduledEvent } from '../../../local/events/scheduled-event.ts';
import { createScheduler } from '../../../local/events/scheduler.ts';

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

test('runs each time the schedule says, until it is stopped', async () => {
  const { scheduler, due } = setUp('rate(1 minute)');
  scheduler.start();
  await vi.advanceTimersByTimeAsync(59_999);
  expect(due).toEqual([]);
  await vi.advanceTimersByTimeAsync(60_001);
  expect(due).toEqual(['2026-11-21T12:01', '2026-11-21T12:02']);
  await scheduler.stop();
  await vi.advanceTimersByTimeAsync(600_000);
  expect(due).toHaveLength(2);
});

test('waits for a time further away than a timer reaches', async () => {
  const { scheduler, due } = setUp('cron(0 0 1 3 ? *)');
  scheduler.start();
  await vi.advanceTimersByTimeAsync(30 * 24 * 60 * 60_000);
  expect(due).toEqual([]);
  await vi.advanceTimersByTimeAsync(70 * 24 * 60 * 60_000);
  expect(due).toEqual(['2027-03-01T00:00']);
  await scheduler.stop();
});

test('a slow run does not keep the next one from starting, and stopping waits for both', async () => {
  const gates: Array<() => void> = [];
  const { scheduler, due } = setUp(
    'rate(1 minute)',
    () => new Promise<void>((resolve) => gates.push(resolve)),
  );
  scheduler.start();
  await vi.advanceTimersByTimeAsync(120_000);
  expect(due).toHaveLength(2);
  let stopped = false;
  const stopping = scheduler.stop().then(() => {
    stopped = true;
  });
  gates[0]?.();
  await vi.advanceTimersByTimeAsync(0);
  expect(stopped).toBe(false);
  gates[1]?.();
  await stopping;
});

test('can be triggered without having been started', async () => {
  const { scheduler, due } = setUp('rate(1 day)');
  await scheduler.trigger();
  await vi.advanceTimersByTimeAsync(2 * 24 * 60 * 60_000);
  expect(due).toEqual(['2026-11-21T12:00']);
});

test('does not start again after it was stopped', async () => {
  const { scheduler, due } = setUp('rate(1 minute)');
  await scheduler.stop();
  scheduler.start();
  await vi.advanceTimersByTimeAsync(120_000);
  expect(due).toEqual([]);
});

test("a rule's event names the rule and the time it was due, in whole seconds", () => {
  const rule = {
    arn: 'arn:aws:events:us-east-1:000000000000:rule/waker',
    accountId: '000000000000',
    region: 'us-east-1',
  };
  expect(scheduledEvent(rule, START + 250)).toEqual({
    version: '0',
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    'detail-type': 'Scheduled Event',
    source: 'aws.events',
    account: '000000000000',
    time: '2026-11-21T12:00:00Z',
    region: 'us-east-1',
    resources: [rule.arn],
    detail: {},
  });
});

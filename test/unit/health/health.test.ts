import { describe, expect, test } from 'vitest';
import { hasStoppedSending, healthOf, isToReport } from '../../../shared/health/rules/health.ts';
import { freshLimit, type Limit } from '../../../shared/limits/model.ts';
import { seenOutcome } from '../../../shared/limits/slow-down.ts';

const NOW = Date.parse('2026-11-21T01:10:00.000Z');
const at = (minute: number) => Date.parse('2026-11-21T01:00:00.000Z') + minute * 60_000;
const limitOf = (facts: Partial<Limit>): Limit => ({ ...freshLimit('partner'), ...facts });
const failing = limitOf({
  succeeded: 100,
  succeededAt: at(1),
  failed: 9,
  failingSince: at(2),
  failure: { at: at(9.5), status: 503, code: 'SYS_DEP_503' },
  minutes: [{ at: at(5), succeeded: 100, failed: 4 }],
});

describe('whether nothing is sent', () => {
  const isStopped = (succeededAt: number | undefined, oldestChangeAgeMs: number) =>
    hasStoppedSending(healthOf([limitOf({ succeededAt })], NOW), { oldestChangeAgeMs, now: NOW });

  test.each([
    ['a change has waited and no request has succeeded for 3 minutes', at(7), 180_000, true],
    ['a change waits and no request has ever succeeded', undefined, 180_000, true],
    ['some request has succeeded since', at(7) + 1, 180_000, false],
    ['the oldest change is younger', at(0), 179_999, false],
    ['no change waits', undefined, 0, false],
  ])('%s', (_, succeededAt, oldestChangeAgeMs, stopped) => {
    expect(isStopped(succeededAt, oldestChangeAgeMs)).toBe(stopped);
  });
});

describe('the health of the marketplace', () => {
  test('says in one sentence what it answers, since when, how often, and when it answered last', () => {
    const health = healthOf([failing], NOW);
    expect(health).toMatchObject({ state: 'failing', recent: { requests: 5, failed: 5 } });
    expect(health.text).toBe(
      'The marketplace answers 503 SYS_DEP_503 since 2026-11-21T01:02:00.000Z; 5 of 5 requests of the last 5 minutes failed; last success 2026-11-21T01:01:00.000Z',
    );
    expect(isToReport(health, NOW)).toBe(true);
  });

  test('is good again with the first success, unless most requests still fail', () => {
    const one = limitOf({ ...failing, failingSince: undefined, succeeded: 101, succeededAt: at(9.8) });
    expect(healthOf([one], NOW).state).toBe('failing');
    const many = limitOf({ ...one, succeeded: 130 });
    expect(healthOf([many], NOW)).toMatchObject({ state: 'healthy', recent: { requests: 35, failed: 5 } });
  });

  test('says when the last request succeeded while earlier failures still count', () => {
    const one = limitOf({ ...failing, failingSince: undefined, succeeded: 101, succeededAt: at(9.8) });
    expect(healthOf([one], NOW).text).toBe(
      'The last request succeeded at 2026-11-21T01:09:48.000Z; before, the marketplace answered 503 SYS_DEP_503 until 2026-11-21T01:09:30.000Z; 5 of 6 requests of the last 5 minutes failed',
    );
  });

  test('of a request without an answer says so', () => {
    const { failure: _, ...rest } = failing;
    const silent = limitOf({ ...rest, failure: { at: at(9), code: 'TIMEOUT' } });
    expect(healthOf([silent], NOW).text).toContain('The marketplace gives no answer (TIMEOUT) since');
  });

  test('is not failing after a single failure, but after two in a row, and is reported if they last', () => {
    const first = limitOf({ failed: 1, failingSince: at(9.5), failure: { at: at(9.5), status: 500 } });
    expect(healthOf([first], NOW)).toMatchObject({
      state: 'healthy',
      text: 'The last request failed at 2026-11-21T01:09:30.000Z: the marketplace answered 500; 1 of 1 requests of the last 5 minutes failed; no request has succeeded yet',
    });
    expect(healthOf([{ ...first, succeeded: 1, succeededAt: at(9) }], NOW).text).toMatch(
      /^The marketplace answers; 1 of 2 requests/,
    );
    const second = limitOf({ ...first, failed: 2, failure: { at: at(9.9), status: 500 } });
    expect(healthOf([second], NOW).state).toBe('failing');
    expect(isToReport(healthOf([second], NOW), NOW)).toBe(false);
    expect(isToReport(healthOf([second], NOW + 120_000), NOW + 120_000)).toBe(true);
  });

  test('is idle, not failing, when nothing was sent for long after a failure', () => {
    const old = limitOf({ failed: 1, failingSince: at(-60), failure: { at: at(-60), status: 500 } });
    expect(healthOf([old], NOW)).toMatchObject({
      state: 'idle',
      text: 'Nothing was sent to the marketplace in the last 5 minutes; the last request failed at 2026-11-21T00:00:00.000Z: the marketplace answered 500; no request has succeeded yet',
    });
    const answered = limitOf({ ...old, succeeded: 1, succeededAt: at(-59) });
    expect(healthOf([answered], NOW).text).toBe(
      'Nothing was sent to the marketplace in the last 5 minutes; last success 2026-11-21T00:01:00.000Z',
    );
    expect(healthOf([limitOf({})], NOW).text).toBe('Nothing was sent to the marketplace yet');
  });

  test('counts all requests of a stack that is younger than these minutes', () => {
    const minutes = [{ at: at(9.5), succeeded: 3, failed: 0 }];
    const young = limitOf({ succeeded: 3, succeededAt: at(9), minutes });
    expect(healthOf([young], NOW)).toMatchObject({ state: 'healthy', recent: { requests: 3, failed: 0 } });
  });

  test('is paused until when the marketplace asked to wait', () => {
    const held = limitOf({ ...failing, heldUntil: at(500), pausedUntil: at(11) });
    const health = healthOf([held], NOW);
    expect(health).toMatchObject({ state: 'paused', heldUntil: '2026-11-21T09:20:00.000Z' });
    expect(health.text).toContain('one request a minute asks whether that still holds');
  });

  test('names the refusal of the partner', () => {
    const stop = { code: 'AUTH_010', message: 'invalid signature', since: at(3), retryAt: NOW };
    expect(healthOf([limitOf({ stop })], NOW)).toMatchObject({
      state: 'refused',
      text: 'The marketplace refuses the partner since 2026-11-21T01:03:00.000Z: AUTH_010: invalid signature',
    });
    const unset = { ...stop, code: 'SECRET_PLACEHOLDER', message: 'no key' };
    expect(healthOf([limitOf({ stop: unset })], NOW).text).toBe(
      "The partner's secret can't be used since 2026-11-21T01:03:00.000Z: SECRET_PLACEHOLDER: no key",
    );
  });

  test('counts the items of a divided limit together', () => {
    const other = limitOf({
      succeeded: 15,
      succeededAt: at(9.9),
      minutes: [{ at: at(5), succeeded: 0, failed: 0 }],
    });
    expect(healthOf([failing, other], NOW)).toMatchObject({
      state: 'healthy',
      recent: { requests: 20, failed: 5 },
    });
  });
});

test.each([
  [{}, true],
  [{ code: 'TIMEOUT' }, true],
  [{ status: 500 }, true],
  [{ status: 429 }, true],
  [{ status: 503, code: 'SYS_DEP_503' }, true],
  [{ status: 200 }, false],
  [{ status: 400, code: 'VAL_001' }, false],
  [{ status: 403, code: 'AUTH_014' }, false],
  // A carrier that a label depends on.
  [{ elsewhere: true }, false],
])('a request that ended with %j failed: %j', (outcome, hasFailed) => {
  const { add } = seenOutcome(outcome, undefined, NOW);
  expect(add).toEqual(hasFailed ? { failed: 1 } : { succeeded: 1 });
});

test('a failure keeps since when it fails, and a success ends that', () => {
  expect(seenOutcome({ status: 500 }, 7, NOW).set).toEqual({
    failure: { at: NOW, status: 500 },
    failingSince: 7,
  });
  expect(seenOutcome({ status: 200 }, 7, NOW).set).toEqual({ succeededAt: NOW, failingSince: undefined });
});

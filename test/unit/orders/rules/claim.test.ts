import { expect, test } from 'vitest';
import type { ActionRecord } from '../../../../shared/orders/model.ts';
import { CLAIM_MS, ended, judgeClaim } from '../../../../shared/orders/rules/claim.ts';

const at = '2026-01-01T00:01:00.000Z';
const attempt = (of: string) => ({
  commandId: `c-${of}`,
  attemptId: `a-${of}`,
  startedAt: `2026-01-01T00:00:0${of}.000Z`,
});

test('an action that an earlier attempt is answered for is done by that one, and the later one stays in doubt', () => {
  const current: ActionRecord = {
    ...attempt('2'),
    state: 'unknown',
    code: 'TIMEOUT',
    decision: 'accept',
    unknownOf: [{ ...attempt('1'), decision: 'reject' }],
  };
  const { startedAt, ...holder } = attempt('1');
  expect(ended(current, { ...holder, decision: 'reject' }, { state: 'done' }, at)).toEqual({
    ...holder,
    startedAt,
    state: 'done',
    decision: 'reject',
    unknownOf: [{ ...attempt('2'), decision: 'accept' }],
    endedAt: at,
  });
});

test('an action that its only attempt is answered for has nothing in doubt', () => {
  const current: ActionRecord = { ...attempt('1'), state: 'sending' };
  expect(ended(current, attempt('1'), { state: 'done' }, at)).toEqual({
    ...attempt('1'),
    state: 'done',
    endedAt: at,
  });
});

test('a retry waits for what was on its way under another name, for as long as that may be so', () => {
  const { startedAt } = attempt('1');
  const current: ActionRecord = {
    ...attempt('2'),
    state: 'unknown',
    unknownOf: [{ ...attempt('1'), wasOnItsWay: true }],
  };
  const retryAt = (now: number) =>
    judgeClaim(current, { commandId: 'c-3', attemptId: 'a-3', retry: true, now });
  const gone = Date.parse(startedAt) + CLAIM_MS;
  expect(retryAt(gone - 1)).toBe('busy');
  expect(retryAt(gone)).toBe('claimed');
});

test('a retry is of what may have been done, whatever was withdrawn after it under another name', () => {
  const current: ActionRecord = {
    ...attempt('2'),
    state: 'withdrawn',
    decision: 'accept',
    unknownOf: [{ ...attempt('1'), decision: 'reject' }],
  };
  const retry = (decision: 'accept' | 'reject', record = current) =>
    judgeClaim(record, { commandId: 'c-3', attemptId: 'a-3', decision, retry: true, now: Date.parse(at) });
  expect(retry('accept')).toBe('conflict');
  expect(retry('reject')).toBe('claimed');
  expect(retry('reject', { ...current, state: 'unknown', refused: true })).toBe('claimed');
  expect(retry('accept', { ...current, state: 'unknown' })).toBe('conflict');
});

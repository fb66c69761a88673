import { describe, expect, test } from 'vitest';
import type { RequestRecord } from '../../../../shared/requests/model.ts';
import * as states from '../../../../shared/requests/rules/states.ts';

const AT = '2026-11-21T08:00:00.000Z';
const NOW = Date.parse(AT);

function request(over: Partial<RequestRecord> = {}): RequestRecord {
  return {
    recordId: 'r-1',
    storeClientId: 's-1',
    kind: 'order-decision',
    commands: [{ commandId: 'c-1', eventId: 'e-1', detailType: 'd', time: NOW, recordIds: ['r-1'] }],
    rows: [{ command: 0, index: 0 }],
    requestKey: 'key',
    state: 'prepared',
    tries: 0,
    uncertain: false,
    createdAt: AT,
    touchedAt: AT,
    ...over,
  };
}

const sending = {
  senderId: 'me',
  signedAt: NOW,
  attemptLifetimeMs: 30_000,
  now: NOW,
  repeatable: false,
};
const sentByOther = (signedAt: number) => request({ state: 'sent', tries: 1, senderId: 'other', signedAt });
const fault = { code: 'VAL_001', message: 'no' };
const ENDED = (['answered', 'refused', 'split', 'unknown'] as const).map((state) => request({ state }));

describe('the state change to sent', () => {
  test('records sender, time and the new note of the domain', () => {
    const before = request({ note: 'old', tries: 1 });
    expect(states.sent(before, { ...sending, note: 'new' })).toEqual(
      request({
        state: 'sent',
        tries: 2,
        senderId: 'me',
        signedAt: NOW,
        note: 'new',
        attempts: [{ at: AT }],
      }),
    );
    expect(states.sent(before, sending)).not.toHaveProperty('note');
  });

  test('is refused for a settled or missing request', () => {
    for (const ended of ENDED) expect(states.sent(ended, sending)).toBeUndefined();
    expect(states.sent(undefined, sending)).toBeUndefined();
  });

  test('is refused for a sent request that must not be repeated, for every sender and at any time', () => {
    expect(states.sent(sentByOther(0), sending)).toBeUndefined();
    expect(states.sent({ ...sentByOther(0), senderId: 'me' }, sending)).toBeUndefined();
  });

  test('waits for the lifetime of another sender, whose effect then stays uncertain', () => {
    const repeatable = { ...sending, repeatable: true };
    expect(states.sent(sentByOther(NOW - 29_999), repeatable)).toBeUndefined();
    expect(states.sent(sentByOther(NOW - 30_000), repeatable)).toMatchObject({
      senderId: 'me',
      uncertain: true,
    });
    expect(states.sent({ ...sentByOther(NOW), senderId: 'me' }, repeatable)).toMatchObject({
      uncertain: true,
      tries: 2,
    });
  });
});

describe('an answer that comes after its try was taken for expired', () => {
  const answeredTry = request({ state: 'sent', tries: 1, senderId: 'a', signedAt: 0 });
  const expired = { ...answeredTry, state: 'prepared', uncertain: true } as const;

  test('leaves no outcome unknown if no other try was sent', () => {
    expect(states.answered(expired, {}, answeredTry)).toMatchObject({ state: 'answered', uncertain: false });
  });

  test('leaves the outcome of an earlier or later try unknown', () => {
    const afterUnknown = { ...answeredTry, uncertain: true };
    expect(states.answered(expired, {}, afterUnknown)).toMatchObject({ uncertain: true });
    expect(states.answered({ ...expired, tries: 2 }, {}, answeredTry)).toMatchObject({ uncertain: true });
  });
});

describe('the end of a request', () => {
  test('is recorded once', () => {
    for (const ended of ENDED) {
      expect(states.answered(ended, {})).toBeUndefined();
      expect(states.refused(ended, fault, 'me')).toBeUndefined();
      expect(states.split(ended, ['a', 'b'], 'me')).toBeUndefined();
      expect(states.endedUnknown(ended, fault)).toBeUndefined();
    }
  });

  test('is not an earlier refusal while another sender sends it', () => {
    expect(states.refused(sentByOther(NOW), fault, 'me')).toBeUndefined();
    expect(states.split(sentByOther(NOW), ['a', 'b'], 'me')).toBeUndefined();
    expect(states.notSent(sentByOther(NOW), 'me')).toBeUndefined();
    expect(states.refused(sentByOther(NOW), fault, 'other')).toMatchObject({ state: 'refused', fault });
    expect(states.split(sentByOther(NOW), ['a', 'b'], 'other')).toMatchObject({ halves: ['a', 'b'] });
  });

  test('is unknown only when something was sent', () => {
    expect(states.endedUnknown(request(), fault)).toBeUndefined();
    expect(states.endedUnknown(request({ tries: 1, uncertain: true }), fault)).toMatchObject({
      state: 'unknown',
    });
    expect(states.endedUnknown(sentByOther(0), fault)).toMatchObject({ state: 'unknown', fault });
  });

  test('is applied once', () => {
    expect(states.applied(request(), AT)).toBeUndefined();
    expect(states.applied(request({ state: 'answered' }), AT)).toMatchObject({ appliedAt: AT });
    expect(states.applied(request({ state: 'answered', appliedAt: 'before' }), AT)).toBeUndefined();
  });
});

test('a request is open from the first try that may have had an effect until its end is applied', () => {
  expect(states.isOpen(request({ tries: 1 }))).toBe(false);
  expect(states.isOpen(request({ tries: 1, uncertain: true }))).toBe(true);
  expect(states.isOpen(sentByOther(0))).toBe(true);
  for (const ended of ENDED) {
    expect(states.isOpen(ended)).toBe(true);
    expect(states.isOpen({ ...ended, appliedAt: AT })).toBe(false);
  }
});

test('only an open request without an end is touched', () => {
  const later = '2026-11-21T09:00:00.000Z';
  expect(states.touched(sentByOther(0), later)).toMatchObject({ touchedAt: later });
  expect(states.touched(request(), later)).toBeUndefined();
  for (const ended of ENDED) expect(states.touched(ended, later)).toBeUndefined();
});

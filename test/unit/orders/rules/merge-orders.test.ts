import { describe, expect, test } from 'vitest';
import type { ActionRecord } from '../../../../shared/orders/model.ts';
import { mergedFacts } from '../../../../shared/orders/rules/merge-orders.ts';

const action = (
  state: ActionRecord['state'],
  of: string,
  more: Partial<ActionRecord> = {},
): ActionRecord => ({
  state,
  commandId: `c-${of}`,
  attemptId: `a-${of}`,
  startedAt: `2026-01-01T00:00:0${of}.000Z`,
  ...more,
});
const merge = (a?: ActionRecord, b?: ActionRecord) => mergedFacts({ decision: a }, { decision: b }).decision;

describe('what is kept of an order with two names', () => {
  test('is what is kept under either', () => {
    const [decision, dropoff] = [action('done', '1'), action('refused', '2')];
    const label = { state: 'stored', commandId: 'c-3', at: '' } as const;
    const invoice = { ...label, commandId: 'c-4' };
    expect(
      mergedFacts({ dropoff, documents: { invoice } }, { decision, documents: { 'shipping-label': label } }),
    ).toEqual({
      decision,
      dropoff,
      documents: { invoice, 'shipping-label': label },
    });
    expect(mergedFacts({}, {})).toEqual({});
  });

  test('is what forbids more, and of two alike the earlier', () => {
    expect(merge(action('refused', '1', { code: 'NO' }), action('done', '2'))).toMatchObject({
      commandId: 'c-2',
    });
    expect(merge(action('unknown', '2'), action('sending', '1'))).toMatchObject({ commandId: 'c-2' });
    expect(merge(action('withdrawn', '2'), action('withdrawn', '1'))).toMatchObject({ commandId: 'c-1' });
  });

  test('keeps in doubt what may be the effect of the other', () => {
    const { startedAt } = action('sending', '2');
    expect(merge(action('sending', '1'), action('sending', '2', { decision: 'reject' }))).toMatchObject({
      commandId: 'c-1',
      unknownOf: [{ commandId: 'c-2', attemptId: 'a-2', startedAt, decision: 'reject', wasOnItsWay: true }],
    });
  });

  test('keeps in doubt the other that was done, and what may be its effect', () => {
    const { state: _, ...earlier } = action('unknown', '1');
    const done = action('done', '3', { decision: 'reject', unknownOf: [earlier] });
    expect(merge(action('done', '2', { decision: 'accept' }), done)?.unknownOf).toMatchObject([
      { commandId: 'c-1' },
      { commandId: 'c-3', decision: 'reject' },
    ]);
  });

  test('remembers the command that was refused under the other name', () => {
    expect(merge(action('done', '1'), action('refused', '2', { code: 'NO', message: 'no' }))).toMatchObject({
      state: 'done',
      turnedAway: [{ commandId: 'c-2', code: 'NO', message: 'no' }],
    });
  });

  test('knows of an attempt what an operator found out under the other name, however long ago', () => {
    const word = { commandId: 'c-1', code: 'RESOLVED_AS_REFUSED', message: 'no effect' };
    const later = action('refused', '2', {
      code: 'NO',
      message: 'no',
      turnedAway: [{ ...word, attemptId: 'a-1' }],
    });
    expect(merge(action('sending', '1'), later)).toMatchObject({ state: 'refused', commandId: 'c-1' });
    expect(merge(action('sending', '1', { attemptId: 'a-9' }), later)).toMatchObject({ state: 'sending' });
    const inDoubt = { unknownOf: [{ commandId: 'c-0', attemptId: 'a-0', startedAt: '' }] };
    expect(merge(action('sending', '1', inDoubt), later)).toMatchObject({ state: 'sending' });
  });

  test('is of one attempt the record that ended', () => {
    const ended = action('refused', '1', { endedAt: '2026-01-01T00:00:09.000Z' });
    expect(merge(action('sending', '1'), ended)).toEqual(ended);
    expect(merge(ended, action('sending', '1'))).toEqual(ended);
  });

  test('is of one attempt unknown where an earlier one was in doubt under the other name', () => {
    const endedAt = '2026-01-01T00:00:09.000Z';
    const refused = action('refused', '2', { endedAt, code: 'NO' });
    const unknownOf = [{ commandId: 'c-1', attemptId: 'a-1', startedAt: '2026-01-01T00:00:01.000Z' }];
    const unknown = action('unknown', '2', { endedAt, code: 'NO', refused: true, unknownOf });
    expect(merge(refused, unknown)).toEqual(unknown);
    expect(merge(unknown, refused)).toEqual(unknown);
    expect(merge(refused, action('sending', '2', { unknownOf }))).toEqual(unknown);
  });
});

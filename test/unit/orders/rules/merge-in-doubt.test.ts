import { describe, expect, test } from 'vitest';
import type { ActionRecord, DoubtfulAttempt } from '../../../../shared/orders/model.ts';
import { mergedFacts } from '../../../../shared/orders/rules/merge-orders.ts';

const attempt = (of: string): DoubtfulAttempt => ({
  commandId: `c-${of}`,
  attemptId: `a-${of}`,
  startedAt: `2026-01-01T00:00:0${of}.000Z`,
});
const action = (state: ActionRecord['state'], of: string, ...unknownOf: DoubtfulAttempt[]): ActionRecord => ({
  ...attempt(of),
  state,
  ...(unknownOf.length > 0 && { unknownOf }),
});

/** What remains of the two, whichever of the names is asked about. */
function merge(a: ActionRecord, b: ActionRecord): ActionRecord | undefined {
  const { decision } = mergedFacts({ decision: a }, { decision: b });
  expect(mergedFacts({ decision: b }, { decision: a })).toEqual({ decision });
  return decision;
}

describe('of an order with two names, an action that was withdrawn', () => {
  const inDoubt = action('withdrawn', '2', attempt('0'));

  test.each<ActionRecord['state']>(['refused', 'sending'])(
    'forbids more than one that is %s while an attempt before it is in doubt',
    (state) => {
      expect(merge(inDoubt, action(state, '1'))).toMatchObject({ state: 'withdrawn', commandId: 'c-2' });
    },
  );

  test('forbids as much as an unknown one while an attempt before it is in doubt: the earlier remains', () => {
    expect(merge(inDoubt, action('unknown', '1'))).toMatchObject({ commandId: 'c-1' });
    expect(merge(inDoubt, action('unknown', '3'))).toMatchObject({ commandId: 'c-2' });
    expect(merge(inDoubt, action('done', '3'))).toMatchObject({ commandId: 'c-3' });
  });

  test.each<ActionRecord['state']>(['refused', 'sending', 'unknown', 'done'])(
    'forbids less than one that is %s once nothing of it is in doubt',
    (state) => {
      expect(merge(action('withdrawn', '1'), action(state, '2'))).toMatchObject({ state, commandId: 'c-2' });
    },
  );
});

test('of an order with two names, an unknown action forbids more than one that is being sent, whatever is in doubt', () => {
  expect(merge(action('sending', '1', attempt('0')), action('unknown', '2'))).toMatchObject({
    state: 'unknown',
    commandId: 'c-2',
  });
});

describe('of an order with two names, what stays in doubt', () => {
  test('was on its way only where it was the last attempt, and was being sent', () => {
    const merged = merge(action('done', '1'), action('sending', '3', attempt('2')));
    expect(merged?.unknownOf).toEqual([attempt('2'), { ...attempt('3'), wasOnItsWay: true }]);
  });

  test('was not on its way where nobody was sending it any more', () => {
    const merged = merge(action('done', '1'), action('unknown', '3', attempt('2')));
    expect(merged?.unknownOf).toEqual([attempt('2'), attempt('3')]);
  });
});

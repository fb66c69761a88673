import { describe, expect, test } from 'vitest';
import type { ActionRecord } from '../../../../shared/orders/model.ts';
import { ended } from '../../../../shared/orders/rules/claim.ts';

const at = '2026-01-01T00:01:00.000Z';
const attempt = (of: string) => ({
  commandId: `c-${of}`,
  attemptId: `a-${of}`,
  startedAt: `2026-01-01T00:00:0${of}.000Z`,
});
const holder = ({ commandId, attemptId }: ReturnType<typeof attempt>) => ({ commandId, attemptId });
const refusal = { state: 'refused', code: 'NO', message: 'no' } as const;
const told = { commandId: 'c-1', code: 'NO', message: 'no' };

describe('an attempt that was on its way under the other name when both were joined', () => {
  const onItsWay: ActionRecord = {
    ...attempt('2'),
    state: 'sending',
    unknownOf: [{ ...attempt('1'), wasOnItsWay: true }],
  };
  const afterRefusal: ActionRecord = {
    ...onItsWay,
    ...refusal,
    state: 'unknown',
    refused: true,
    endedAt: at,
  };

  test('is in doubt no more once its sender knows that it had no effect', () => {
    const { unknownOf: _, ...certain } = onItsWay;
    expect(ended(onItsWay, holder(attempt('1')), { state: 'withdrawn' }, at)).toEqual(certain);
    expect(ended(onItsWay, holder(attempt('1')), refusal, at)).toEqual({ ...certain, turnedAway: [told] });
  });

  test('leaves nothing unknown when the last attempt was refused before', () => {
    const { unknownOf: _, refused: __, ...known } = afterRefusal;
    expect(ended(afterRefusal, holder(attempt('1')), { state: 'withdrawn' }, at)).toEqual({
      ...known,
      state: 'refused',
    });
  });

  test('is in doubt but not on its way once its sender can not tell', () => {
    const gone = ended(onItsWay, holder(attempt('1')), { state: 'unknown' }, at);
    expect(gone).toEqual({ ...onItsWay, unknownOf: [attempt('1')] });
    expect(gone && ended(gone, holder(attempt('1')), { state: 'unknown' }, at)).toBeUndefined();
  });

  test('leaves in doubt what else is', () => {
    const two = { ...afterRefusal, unknownOf: [attempt('0'), ...(afterRefusal.unknownOf ?? [])] };
    expect(ended(two, holder(attempt('1')), { state: 'withdrawn' }, at)).toEqual({
      ...afterRefusal,
      unknownOf: [attempt('0')],
    });
  });
});

describe('what is asked about when the last attempt had no effect', () => {
  const other = { ...attempt('1'), decision: 'reject' } as const;
  const sending: ActionRecord = { ...attempt('2'), state: 'sending', decision: 'accept', unknownOf: [other] };

  test('is the other decision that is in doubt', () => {
    expect(ended(sending, holder(attempt('2')), { state: 'withdrawn' }, at)).toEqual({
      ...other,
      state: 'unknown',
      endedAt: at,
    });
  });

  test('is the other decision that may be on its way', () => {
    const current = { ...sending, unknownOf: [attempt('0'), { ...other, wasOnItsWay: true }] };
    expect(ended(current, holder(attempt('2')), refusal, at)).toEqual({
      ...other,
      state: 'sending',
      unknownOf: [attempt('0')],
      turnedAway: [{ ...told, commandId: 'c-2', decision: 'accept' }],
    });
  });

  test('stays the same decision', () => {
    const current = { ...sending, unknownOf: [{ ...attempt('1'), decision: 'accept' as const }] };
    expect(ended(current, holder(attempt('2')), { state: 'withdrawn' }, at)).toEqual({
      ...current,
      state: 'withdrawn',
      endedAt: at,
    });
  });
});

import { describe, expect, test } from 'vitest';
import type { CommandStep } from '../../../../shared/commands/model.ts';
import {
  abandoned,
  answered,
  begun,
  done,
  dropped,
  isOpen,
  neverSent,
  sifted,
  withdrawn,
} from '../../../../shared/commands/rules/steps.ts';
import { submission } from '../../batches/batch-facts.ts';

const attempt = (attemptId: string) => ({ commandId: 's#c#0', attemptId, at: '2026-11-21T08:00:00.000Z' });
const later = '2026-11-21T08:01:00.000Z';

describe('a step of a command', () => {
  test('is certain when it is begun for the first time', () => {
    expect(begun(undefined, attempt('a'))).toEqual({
      commandId: 's#c#0',
      attemptId: 'a',
      state: 'sending',
      uncertain: false,
      tries: 1,
      startedAt: '2026-11-21T08:00:00.000Z',
      begunAt: '2026-11-21T08:00:00.000Z',
    });
  });

  test('is uncertain when it is begun again while its outcome is not known', () => {
    expect(begun(begun(undefined, attempt('a')), attempt('b'))).toMatchObject({
      attemptId: 'b',
      uncertain: true,
      tries: 2,
    });
  });

  test('stays certain when its attempt surely had no effect', () => {
    const step = withdrawn(begun(undefined, attempt('a')), 'a');
    expect(step).toMatchObject({ state: 'waiting' });
    expect(begun(step, attempt('b'))).toMatchObject({ state: 'sending', uncertain: false, tries: 2 });
  });

  test('stays uncertain whatever becomes of later attempts', () => {
    const second = begun(begun(undefined, attempt('a')), attempt('b'));
    expect(begun(withdrawn(second, 'b'), attempt('c'))).toMatchObject({ uncertain: true });
  });

  test('is not withdrawn by an attempt that is not its last', () => {
    const second = begun(begun(undefined, attempt('a')), attempt('b'));
    expect(withdrawn(second, 'a')).toBeUndefined();
  });

  test('that says which rows a request goes without keeps to the first word, also once it is reported', () => {
    const rejection = { storeClientId: 's', rejectionId: 'r', rejectedAt: later, code: 'X', message: 'x' };
    const first = sifted(undefined, attempt('a'), [{ index: 1, rejection }]);
    expect(first).toMatchObject({ state: 'answered', leftOut: [1], rejections: [rejection] });
    expect(sifted(first, attempt('b'), [])).toBeUndefined();
    expect(done(first, {}, later)).toMatchObject({ state: 'done', leftOut: [1] });
  });

  test('that leaves out no row has nothing to report', () => {
    expect(sifted(undefined, attempt('a'), [])).toMatchObject({ state: 'done', leftOut: [] });
  });

  describe('that nobody wants done any more', () => {
    const rejection = {
      storeClientId: 's',
      rejectionId: 'r',
      rejectedAt: later,
      code: 'COMMAND_DISCARDED',
      message: 'discarded',
    };
    const drop = (step: CommandStep | undefined) => dropped(step, attempt('drop'), [rejection]);
    const first = begun(undefined, attempt('a'));

    test.each<[string, CommandStep | undefined]>([
      ['was never begun', undefined],
      ['was withdrawn', withdrawn(first, 'a')],
    ])('is over if it %s', (_, step) => {
      expect(drop(step)).toMatchObject({ state: 'answered', rejections: [rejection] });
    });

    test('is over once its attempt turns out to have had no effect', () => {
      expect(drop(first)).toMatchObject({ state: 'sending' });
      expect(withdrawn(drop(first), 'a')).toMatchObject({ state: 'answered', rejections: [rejection] });
    });

    test('is open still while an attempt before may have had its effect', () => {
      const second = begun(drop(first), attempt('b'));
      expect(second).toMatchObject({ uncertain: true, ifNeverSent: [rejection] });
      expect(withdrawn(second, 'b')).toMatchObject({ state: 'waiting', uncertain: true });
    });

    test('keeps the answer that came meanwhile', () => {
      const kept = answered(drop(first), submission());
      expect(kept).toMatchObject({ state: 'answered', answer: submission() });
      expect(drop(kept)).toBeUndefined();
      expect(done(kept, { batchId: 'b-1' }, later)).not.toHaveProperty('ifNeverSent');
    });
  });

  test('ends once, and is neither begun nor withdrawn after', () => {
    const step = done(begun(undefined, attempt('a')), { batchId: 'b-1' }, later);
    expect(step).toMatchObject({ state: 'done', batchId: 'b-1', endedAt: later });
    expect(begun(step, attempt('b'))).toBeUndefined();
    expect(withdrawn(step, 'a')).toBeUndefined();
    expect(done(step, { batchId: 'b-2' }, later)).toBeUndefined();
  });
});

const request = { storeClientId: 's', kind: 'catalog-sync', commandId: 'c', rows: 3 } as const;
const answer = submission({ batchId: 'b-1' });
const sending = (attemptId = 'a', current?: CommandStep) => {
  return begun(current, { ...attempt(attemptId), request }) ?? expect.unreachable();
};

describe('the answer to a step', () => {
  test('is kept once, and the step is not sent again after', () => {
    const step = answered(sending(), answer);
    expect(step).toMatchObject({ state: 'answered', answer });
    expect(begun(step, attempt('b'))).toBeUndefined();
    expect(answered(step, submission({ batchId: 'b-2' }))).toBeUndefined();
    expect(withdrawn(step, 'a')).toBeUndefined();
  });

  test('goes with the end of the step', () => {
    expect(done(answered(sending(), answer), { batchId: 'b-1' }, later)?.answer).toBeUndefined();
  });

  test('is uncertain for a step that was begun again, even if it is the first try that is answered', () => {
    expect(answered(sending(), answer)?.answer?.uncertain).toBeUndefined();
    expect(answered(sending('b', sending('a')), answer)?.answer?.uncertain).toBe(true);
  });
});

test('the rows of a step lie under one key, whenever it is tried', () => {
  const again = begun(sending(), {
    commandId: 's#c#0',
    attemptId: 'b',
    at: '2026-11-22T08:00:00.000Z',
    request,
  });
  expect(again?.request?.requestKey).toBe(sending().request?.requestKey);
  expect(sending().request?.requestKey).toMatch(/^requests\/2026-11-21\/[0-9a-f]{64}\.json$/);
});

test('a step is open as long as somebody may wait to hear what became of its rows', () => {
  const step = sending();
  const waiting = withdrawn(step, 'a') ?? expect.unreachable();
  expect(isOpen(step)).toBe(true);
  expect(isOpen(waiting)).toBe(false);
  expect(isOpen({ ...waiting, uncertain: true })).toBe(true);
  expect(isOpen({ ...step, state: 'answered' })).toBe(true);
  expect(isOpen({ ...step, state: 'done' })).toBe(false);
  expect(isOpen({ ...step, request: undefined })).toBe(false);
});

describe('an abandoned step', () => {
  test('gets a batch in place of its answer, unless somebody has taken it up again', () => {
    const seen = sending();
    expect(abandoned(seen, seen, answer)).toMatchObject({ state: 'answered', answer });
    expect(abandoned(sending('b', seen), seen, answer)).toBeUndefined();
    expect(abandoned(done(seen, {}, later), seen, answer)).toBeUndefined();
  });

  test('of which nothing was sent waits to be begun, unless somebody has taken it up again', () => {
    const seen = sending();
    expect(neverSent(seen, seen)).toMatchObject({ state: 'waiting', uncertain: false });
    expect(neverSent(sending('b', seen), seen)).toBeUndefined();
  });
});

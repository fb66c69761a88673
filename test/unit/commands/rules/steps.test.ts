import { describe, expect, test } from 'vitest';
import { begun, done, withdrawn } from '../../../../shared/commands/rules/steps.ts';

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

  test('ends once, and is neither begun nor withdrawn after', () => {
    const step = done(begun(undefined, attempt('a')), { batchId: 'b-1' }, later);
    expect(step).toMatchObject({ state: 'done', batchId: 'b-1', endedAt: later });
    expect(begun(step, attempt('b'))).toBeUndefined();
    expect(withdrawn(step, 'a')).toBeUndefined();
    expect(done(step, { batchId: 'b-2' }, later)).toBeUndefined();
  });
});

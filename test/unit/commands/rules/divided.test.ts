import { expect, test } from 'vitest';
import { answered, begun, divided, done, refused } from '../../../../shared/commands/rules/steps.ts';
import { submission } from '../../batches/batch-facts.ts';

const at = '2026-11-21T08:00:00.000Z';
const sending = begun(undefined, { commandId: 's#c#0', attemptId: 'a', at });

test('a step is divided while it has no answer, and owes nobody one then', () => {
  expect(divided(sending)).toEqual({ ...sending, state: 'divided' });
  expect(answered(divided(sending), submission())).toBeUndefined();
});

test.each([
  ['was never begun', undefined],
  ['was answered', answered(sending, submission())],
  ['was refused', refused(sending, [])],
  ['is divided already', divided(sending)],
  ['is over', done(sending, { batchId: 'b-1' }, at)],
])('a step is not divided that %s', (_, step) => {
  expect(divided(step)).toBeUndefined();
});

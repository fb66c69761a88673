import { expect, test } from 'vitest';
import { hiddenText, nothingToMove } from '../../../cli/commands/dlq.ts';

test('a queue whose messages a reader hides for seconds is not called empty, and says when to try again', () => {
  expect(nothingToMove({ name: 'dead', hidden: 1 })).toMatchObject({
    code: 'MESSAGES_HIDDEN',
    message:
      'dead shows no message now. About 1 message is hidden for seconds by another reader: try again then.',
  });
  expect(nothingToMove({ name: 'dead', hidden: 0 }).message).toBe('dead is empty');
});

test('a move says how many messages it could not see', () => {
  expect(hiddenText({ hidden: 0 })).toEqual([]);
  expect(hiddenText({ hidden: 3 })).toEqual([
    'About 3 messages are hidden for seconds by another reader: try again then.',
  ]);
});

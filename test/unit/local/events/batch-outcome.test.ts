import { describe, expect, test } from 'vitest';
import { failedMessages } from '../../../../local/aws/events/batch-outcome.ts';

const BATCH = ['a', 'b', 'c'];

describe('no message counts as failed when the answer', () => {
  test.each([
    ['is null', null],
    ['is missing', undefined],
    ['names no failures', {}],
    ['has null for the failures', { batchItemFailures: null }],
    ['has an empty list', { batchItemFailures: [] }],
  ])('%s', (_what, answer) => {
    expect([...failedMessages(answer, BATCH)]).toEqual([]);
  });
});

test('only the messages named by the answer count as failed', () => {
  const answer = { batchItemFailures: [{ itemIdentifier: 'a' }, { itemIdentifier: 'c' }] };
  expect([...failedMessages(answer, BATCH)]).toEqual(['a', 'c']);
});

describe('all messages count as failed when the answer', () => {
  test.each([
    ['is text', 'done'],
    ['has failures that are no list', { batchItemFailures: 'a' }],
    ['has an empty identifier', { batchItemFailures: [{ itemIdentifier: '' }] }],
    ['has a null identifier', { batchItemFailures: [{ itemIdentifier: null }] }],
    ['misspells the key', { batchItemFailures: [{ itemIdentifer: 'a' }] }],
    ['has a null failure', { batchItemFailures: [null] }],
    [
      'names a message of another batch',
      { batchItemFailures: [{ itemIdentifier: 'a' }, { itemIdentifier: 'z' }] },
    ],
  ])('%s', (_what, answer) => {
    expect([...failedMessages(answer, BATCH)]).toEqual(BATCH);
  });
});

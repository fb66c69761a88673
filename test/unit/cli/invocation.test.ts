import { expect, test } from 'vitest';
import { commandOf, invocation, shellWord, startOf, wordsOf } from '../../../cli/invocation.ts';

test.each([
  ['by npx', 'npx', 'npx marketplace-connector', 'npx marketplace-connector local'],
  ['in a clone', 'connector', 'npm run -s connector --', 'npm start'],
  ['by its name', undefined, 'marketplace-connector', 'marketplace-connector local'],
])('a command to paste begins as the command line was called: %s', (_, event, program, start) => {
  const environment = { npm_lifecycle_event: event };
  expect(invocation(environment)).toBe(program);
  expect(startOf('local', environment)).toBe(start);
});

test('a command to paste names the stack that it is about', () => {
  const options = ['--stack', 'Shop', '--region', 'eu-west-1', '--profile', 'the ops'];
  expect(commandOf({ options }, 'dlq show Changes', 'connector')).toBe(
    "connector dlq show Changes --stack Shop --region eu-west-1 --profile 'the ops'",
  );
  expect(commandOf({ options: [] }, 'dlq show Changes', 'connector')).toBe('connector dlq show Changes');
});

test('an ID that begins like an option stays an ID in a command to paste', () => {
  const words = wordsOf('batches resolve', ['--yes'], ['--rest', 'accepted']);
  expect(words).toBe('batches resolve --rest accepted -- --yes');
  expect(commandOf({ options: ['--stack', 'Shop'] }, words, 'connector')).toBe(
    'connector --stack Shop batches resolve --rest accepted -- --yes',
  );
  expect(wordsOf('batches resolve', ['b-1'], ['--rest', 'accepted'])).toBe(
    'batches resolve b-1 --rest accepted',
  );
});

test('a word to paste with characters that can not be seen has their escapes, as shells read them', () => {
  expect(shellWord('a\nb')).toBe(`$'a\\u000ab'`);
  expect(shellWord(`it's\u200b`)).toBe(`$'it\\'s\\u200b'`);
});

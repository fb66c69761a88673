import { expect, test } from 'vitest';
import { commandOf } from '../../../cli/invocation.ts';

test('a command to paste names the stack that it is about', () => {
  const options = ['--stack', 'Shop', '--region', 'eu-west-1', '--profile', 'the ops'];
  expect(commandOf({ options }, 'dlq show Changes', 'connector')).toBe(
    "connector dlq show Changes --stack Shop --region eu-west-1 --profile 'the ops'",
  );
  expect(commandOf({ options: [] }, 'dlq show Changes', 'connector')).toBe('connector dlq show Changes');
});

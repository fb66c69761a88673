import { expect, test } from 'vitest';
import { targetFault } from '../../../../../local/aws/services/eventbridge/target-input.ts';

const arn = (service: string, resource: string): string =>
  `arn:aws:${service}:us-east-1:000000000000:${resource}`;

test.each([
  ['a queue', { Arn: arn('sqs', 'orders') }],
  [
    'a FIFO queue with a message group',
    { Arn: arn('sqs', 'o.fifo'), SqsParameters: { MessageGroupId: 'g' } },
  ],
  ['a function', { Arn: arn('lambda', 'function:f') }],
])('%s is accepted as a target', (_name, target) => {
  expect(targetFault({ Id: 't', ...target })).toBeUndefined();
});

test.each([
  ['a state machine', { Arn: arn('states', 'stateMachine:m') }, 'neither a queue nor a function'],
  ['what is no ARN', { Arn: 'orders' }, 'neither a queue nor a function'],
  ['a FIFO queue without a message group', { Arn: arn('sqs', 'o.fifo') }, 'SqsParameters'],
  [
    'a queue that gets its input in a way not known',
    { Arn: arn('sqs', 'o'), InputPath: 'detail' },
    'target t',
  ],
])('%s is refused as a target', (_name, target, fault) => {
  expect(targetFault({ Id: 't', ...target })).toContain(fault);
});

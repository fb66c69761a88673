import { expect, test } from 'vitest';
import { givenPolicies } from '../../../../../local/aws/services/sqs/queue-policy.ts';

const statement = { Effect: 'Allow', Principal: '*', Action: 'SQS:SendMessage', Resource: '*' };
const policy = (more: object = {}) => JSON.stringify({ Statement: [{ ...statement, ...more }] });

test('a request without a policy keeps that of the queue', () => {
  expect(givenPolicies('q', { QueueName: 'q' })).toBeUndefined();
  expect(givenPolicies('q', { QueueName: 'q', Attributes: { DelaySeconds: '5' } })).toBeUndefined();
});

test('an empty policy removes that of the queue', () => {
  expect(givenPolicies('q', { Attributes: { Policy: '' } })).toEqual([]);
});

test('a policy is read under the name of its queue', () => {
  expect(givenPolicies('q', { Attributes: { Policy: policy() } })).toMatchObject([
    { source: 'the policy of q', statements: [{ Action: ['SQS:SendMessage'] }] },
  ]);
});

test.each([
  ['is no JSON', 'nonsense'],
  ['has an element that is not understood', policy({ NotPrincipal: '*' })],
  [
    'has a condition that is not understood',
    policy({ Condition: { StringEquals: { 'aws:SourceIp': '1' } } }),
  ],
])('a policy is refused that %s', (_name, Policy) => {
  expect(() => givenPolicies('q', { Attributes: { Policy } })).toThrow(
    expect.objectContaining({ code: 'InvalidAttributeValue' }),
  );
});

import { DisableRuleCommand, type PutRuleCommandInput, type Target } from '@aws-sdk/client-eventbridge';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { callAs, type StartedStack, startStack } from '../fixture.ts';
import { createSubscriber, EventBusName, queueArn, type Subscriber, shop } from './subscriber.ts';

let stack: StartedStack;
let subscriber: Subscriber;

beforeEach(async () => {
  stack = await startStack(shop);
  subscriber = createSubscriber(stack);
});

afterEach(() => stack?.stop());

describe('EventBridge refuses', () => {
  test.each<[string, Partial<PutRuleCommandInput>, string, string]>([
    ['a pattern that is no JSON', { EventPattern: '{' }, 'InvalidEventPatternException', 'is not valid'],
    [
      'a pattern with a filter that is not known',
      { EventPattern: '{"source":[{"cidr":"10.0.0.0/8"}]}' },
      'InvalidEventPatternException',
      'cidr',
    ],
    ['a rule without a pattern', { EventPattern: undefined }, 'ValidationException', 'EventPattern'],
    [
      'a schedule',
      { ScheduleExpression: 'rate(1 minute)' },
      'ValidationException',
      'only a template can set a schedule',
    ],
    ['a bus that does not exist', { EventBusName: 'none' }, 'ResourceNotFoundException', 'bus none'],
  ])('%s', async (_name, rule, name, message) => {
    const refusal = expect.objectContaining({ name, message: expect.stringContaining(message) });
    await expect(subscriber.putRule('refused', rule)).rejects.toEqual(refusal);
  });

  test.each<[string, Partial<Target>, string]>([
    [
      'a target that is neither a queue nor a function',
      { Arn: 'arn:aws:sns:us-east-1:000000000000:t' },
      'neither a queue nor a function',
    ],
    ['a FIFO queue without a message group', { Arn: queueArn('q.fifo') }, 'SqsParameters'],
    ['an input path that is not known', { InputPath: '$..n' }, '$..n'],
    ['a part of a target that is not known', { RoleArn: 'arn:aws:iam::000000000000:role/r' }, 'RoleArn'],
  ])('%s', async (_name, target, message) => {
    await subscriber.putRule('refused');
    const refusal = { name: 'ValidationException', message: expect.stringContaining(message) };
    const refused = subscriber.putTargets('refused', { Id: 't', Arn: queueArn('mine'), ...target });
    await expect(refused).rejects.toEqual(expect.objectContaining(refusal));
  });

  test('a sixth target of a rule', async () => {
    await subscriber.putRule('crowded');
    const targets = Array.from({ length: 6 }, (_, n) => ({ Id: `t${n}`, Arn: queueArn('mine') }));
    await expect(subscriber.putTargets('crowded', ...targets)).rejects.toMatchObject({
      name: 'LimitExceededException',
    });
  });

  test('a target of a rule that does not exist', async () => {
    const refused = subscriber.putTargets('none', { Id: 't', Arn: queueArn('mine') });
    await expect(refused).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
  });

  test('a change to a schedule of the stack', async () => {
    const disable = stack.eventbridge.send(new DisableRuleCommand({ Name: stack.run.outputs.EveryMinute }));
    await expect(disable).rejects.toMatchObject({ name: 'ValidationException' });
  });

  test('a call that the role of the function does not allow', async () => {
    await subscriber.putRule('described');
    const rule = { Name: 'described', EventBusName };
    expect(await callAs(stack.run, 'EventBridge', 'DescribeRule', rule)).toMatchObject(rule);
    expect(await callAs(stack.run, 'EventBridge', 'DeleteRule', rule)).toEqual({
      error: 'AccessDeniedException',
    });
  });
});

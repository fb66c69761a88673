import {
  DeleteRuleCommand,
  DescribeRuleCommand,
  DisableRuleCommand,
  EnableRuleCommand,
  ListRulesCommand,
  ListTargetsByRuleCommand,
  RemoveTargetsCommand,
} from '@aws-sdk/client-eventbridge';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type StartedStack, startStack } from '../fixture.ts';
import {
  createSubscriber,
  EventBusName,
  letIn,
  queueArn,
  ruleArn,
  type Subscriber,
  shop,
} from './subscriber.ts';

let stack: StartedStack;
let subscriber: Subscriber;

beforeEach(async () => {
  stack = await startStack(shop);
  subscriber = createSubscriber(stack);
});

afterEach(() => stack?.stop());

describe('a rule made by a client', () => {
  test('delivers to a queue of the client whose policy allows it', async () => {
    const url = await subscriber.createQueue('mine', letIn('subscription', 'mine'));
    expect(await subscriber.putRule('subscription')).toMatchObject({ RuleArn: ruleArn('subscription') });
    const answer = await subscriber.putTargets('subscription', { Id: 'q', Arn: queueArn('mine') });
    expect(answer).toMatchObject({ FailedEntryCount: 0 });
    await subscriber.put(1);
    expect(await subscriber.bodies(url)).toMatchObject([
      { source: 'erp', 'detail-type': 'counted', detail: { n: 1 } },
    ]);
    expect(stack.run.accessDenied).toEqual([]);
  });

  test('delivers the part that its target selects, also to a function of the stack', async () => {
    const url = await subscriber.createQueue('mine', letIn('picking', 'mine'));
    const InputTransformer = { InputPathsMap: { n: '$.detail.n' }, InputTemplate: '{"number": <n>}' };
    await subscriber.putRule('picking');
    await subscriber.putTargets('picking', { Id: 'q', Arn: queueArn('mine'), InputTransformer });
    await subscriber.putRule('to-function');
    await subscriber.putTargets('to-function', {
      Id: 'f',
      Arn: stack.run.outputs.Echo,
      InputPath: '$.detail',
    });
    await subscriber.put(2);
    expect(await subscriber.bodies(url)).toEqual([{ number: 2 }]);
    expect(stack.run.functions.logs('Echo').map(({ message }) => message)).toEqual(['{"n":2}']);
  });

  test('is replaced by a rule of the same name, and its targets stay', async () => {
    const url = await subscriber.createQueue('mine', letIn('changing', 'mine'));
    await subscriber.putRule('changing');
    await subscriber.putTargets('changing', { Id: 'q', Arn: queueArn('mine') });
    await subscriber.putRule('changing', { EventPattern: '{"detail":{"n":[{"numeric":[">",3]}]}}' });
    await subscriber.put(3, 4);
    expect(await subscriber.bodies(url)).toMatchObject([{ detail: { n: 4 } }]);
  });

  test('delivers nothing while it is disabled', async () => {
    const url = await subscriber.createQueue('mine', letIn('switched', 'mine'));
    await subscriber.putRule('switched', { State: 'DISABLED' });
    await subscriber.putTargets('switched', { Id: 'q', Arn: queueArn('mine') });
    await subscriber.put(1);
    await stack.eventbridge.send(new EnableRuleCommand({ Name: 'switched', EventBusName }));
    await subscriber.put(2);
    await stack.eventbridge.send(new DisableRuleCommand({ Name: 'switched', EventBusName }));
    await subscriber.put(3);
    expect(await subscriber.bodies(url)).toMatchObject([{ detail: { n: 2 } }]);
  });

  test('stops delivering to a removed target, and can be deleted once it has none', async () => {
    const url = await subscriber.createQueue('mine', letIn('leaving', 'mine'));
    const rule = { Name: 'leaving', EventBusName };
    await subscriber.putRule('leaving');
    await subscriber.putTargets('leaving', { Id: 'q', Arn: queueArn('mine') });
    await expect(stack.eventbridge.send(new DeleteRuleCommand(rule))).rejects.toThrow('has targets');
    await stack.eventbridge.send(new RemoveTargetsCommand({ Rule: 'leaving', EventBusName, Ids: ['q'] }));
    await subscriber.put(1);
    expect(await subscriber.bodies(url)).toEqual([]);
    await stack.eventbridge.send(new DeleteRuleCommand(rule));
    await stack.eventbridge.send(new DeleteRuleCommand(rule));
    await expect(stack.eventbridge.send(new DescribeRuleCommand(rule))).rejects.toThrow(
      'Rule leaving does not exist on EventBus shop.',
    );
  });

  test('is shown with its targets', async () => {
    await subscriber.putRule('shown', { Description: 'for the warehouse' });
    await subscriber.putRule('other');
    const target = { Id: 'q', Arn: queueArn('mine'), InputPath: '$.detail' };
    await subscriber.putTargets('shown', target);
    expect(
      await stack.eventbridge.send(new DescribeRuleCommand({ Name: 'shown', EventBusName })),
    ).toMatchObject({
      Arn: ruleArn('shown'),
      State: 'ENABLED',
      Description: 'for the warehouse',
      EventPattern: '{"source":["erp"]}',
    });
    const targets = await stack.eventbridge.send(
      new ListTargetsByRuleCommand({ Rule: 'shown', EventBusName }),
    );
    expect(targets.Targets).toEqual([target]);
    const named = await stack.eventbridge.send(new ListRulesCommand({ EventBusName, NamePrefix: 'sho' }));
    expect(named.Rules?.map(({ Name }) => Name)).toEqual(['shown']);
  });

  test('is listed page by page', async () => {
    await subscriber.putRule('one');
    await subscriber.putRule('two');
    const list = (NextToken?: string) =>
      stack.eventbridge.send(new ListRulesCommand({ EventBusName, Limit: 1, NextToken }));
    const first = await list();
    const second = await list(first.NextToken);
    expect([first, second].map(({ Rules }) => Rules?.map(({ Name }) => Name))).toEqual([['one'], ['two']]);
    expect(second.NextToken).toBeUndefined();
  });
});

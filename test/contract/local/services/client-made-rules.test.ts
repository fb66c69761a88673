import {
  DeleteRuleCommand,
  DescribeRuleCommand,
  DisableRuleCommand,
  EnableRuleCommand,
  ListRulesCommand,
  ListTargetsByRuleCommand,
  PutEventsCommand,
  PutRuleCommand,
  type PutRuleCommandInput,
  PutTargetsCommand,
  RemoveTargetsCommand,
  type Target,
} from '@aws-sdk/client-eventbridge';
import { CreateQueueCommand, ReceiveMessageCommand, SetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  allow,
  arnOf,
  callAs,
  callerCode,
  functionRole,
  lambdaFunction,
  ref,
  type StartedStack,
  startStack,
} from '../fixture.ts';

const EventBusName = 'shop';
const ruleArn = (name: string) => `arn:aws:events:us-east-1:000000000000:rule/${EventBusName}/${name}`;
const queueArn = (name: string) => `arn:aws:sqs:us-east-1:000000000000:${name}`;

let stack: StartedStack;

beforeEach(async () => {
  stack = await startStack({
    resources: {
      Bus: { Type: 'AWS::Events::EventBus', Properties: { Name: EventBusName } },
      Role: functionRole(allow('events:DescribeRule', ruleArn('described'))),
      Caller: lambdaFunction('caller', 'Role'),
      Echo: lambdaFunction('echo', 'Role'),
      MayInvoke: {
        Type: 'AWS::Lambda::Permission',
        Properties: {
          Action: 'lambda:InvokeFunction',
          FunctionName: arnOf('Echo'),
          Principal: 'events.amazonaws.com',
          SourceArn: ruleArn('to-function'),
        },
      },
      EveryMinute: {
        Type: 'AWS::Events::Rule',
        Properties: { Name: 'tick', ScheduleExpression: 'rate(1 minute)' },
      },
    },
    outputs: { Echo: arnOf('Echo'), Tick: ref('EveryMinute') },
    functions: {
      caller: callerCode,
      echo: 'export async function handler(event) { console.log(JSON.stringify(event)); }',
    },
  });
});

afterEach(() => stack?.stop());

const putRule = (Name: string, rule: Partial<PutRuleCommandInput> = {}) =>
  stack.eventbridge.send(
    new PutRuleCommand({ Name, EventBusName, EventPattern: '{"source":["erp"]}', ...rule }),
  );
const putTargets = (Rule: string, ...Targets: Target[]) =>
  stack.eventbridge.send(new PutTargetsCommand({ Rule, EventBusName, Targets }));

/** A policy that lets in one rule, as AWS's guide for EventBridge has it. */
function letIn(rule: string, queue: string): string {
  const statement = {
    Effect: 'Allow',
    Principal: { Service: 'events.amazonaws.com' },
    Action: 'sqs:SendMessage',
    Resource: queueArn(queue),
    Condition: { ArnEquals: { 'aws:SourceArn': ruleArn(rule) } },
  };
  return JSON.stringify({ Version: '2012-10-17', Statement: [statement] });
}

async function createQueue(QueueName: string, Policy?: string): Promise<string | undefined> {
  const Attributes = Policy === undefined ? {} : { Policy };
  return (await stack.sqs.send(new CreateQueueCommand({ QueueName, Attributes }))).QueueUrl;
}

async function put(...numbers: number[]): Promise<void> {
  const Entries = numbers.map((n) => ({
    EventBusName,
    Source: 'erp',
    DetailType: 'counted',
    Detail: JSON.stringify({ n }),
  }));
  await stack.eventbridge.send(new PutEventsCommand({ Entries }));
  await stack.run.idle();
}

async function bodies(QueueUrl: string | undefined): Promise<unknown[]> {
  const { Messages = [] } = await stack.sqs.send(
    new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 }),
  );
  return Messages.map(({ Body }) => JSON.parse(Body ?? ''));
}

describe('a rule that a client makes', () => {
  test('delivers to a queue of the client that lets it in', async () => {
    const url = await createQueue('mine', letIn('subscription', 'mine'));
    expect(await putRule('subscription')).toMatchObject({ RuleArn: ruleArn('subscription') });
    const answer = await putTargets('subscription', { Id: 'q', Arn: queueArn('mine') });
    expect(answer).toMatchObject({ FailedEntryCount: 0 });
    await put(1);
    expect(await bodies(url)).toMatchObject([{ source: 'erp', 'detail-type': 'counted', detail: { n: 1 } }]);
    expect(stack.run.accessDenied).toEqual([]);
  });

  test('delivers what its target picks, to a function of the stack too', async () => {
    const url = await createQueue('mine', letIn('picking', 'mine'));
    const InputTransformer = { InputPathsMap: { n: '$.detail.n' }, InputTemplate: '{"number": <n>}' };
    await putRule('picking');
    await putTargets('picking', { Id: 'q', Arn: queueArn('mine'), InputTransformer });
    await putRule('to-function');
    await putTargets('to-function', { Id: 'f', Arn: stack.run.outputs.Echo, InputPath: '$.detail' });
    await put(2);
    expect(await bodies(url)).toEqual([{ number: 2 }]);
    expect(stack.run.functions.logs('Echo').map(({ message }) => message)).toEqual(['{"n":2}']);
  });

  test('is replaced, targets kept, by another of its name', async () => {
    const url = await createQueue('mine', letIn('changing', 'mine'));
    await putRule('changing');
    await putTargets('changing', { Id: 'q', Arn: queueArn('mine') });
    await putRule('changing', { EventPattern: '{"detail":{"n":[{"numeric":[">",3]}]}}' });
    await put(3, 4);
    expect(await bodies(url)).toMatchObject([{ detail: { n: 4 } }]);
  });

  test('delivers nothing while it is disabled', async () => {
    const url = await createQueue('mine', letIn('switched', 'mine'));
    await putRule('switched', { State: 'DISABLED' });
    await putTargets('switched', { Id: 'q', Arn: queueArn('mine') });
    await put(1);
    await stack.eventbridge.send(new EnableRuleCommand({ Name: 'switched', EventBusName }));
    await put(2);
    await stack.eventbridge.send(new DisableRuleCommand({ Name: 'switched', EventBusName }));
    await put(3);
    expect(await bodies(url)).toMatchObject([{ detail: { n: 2 } }]);
  });

  test('delivers no more to a target that is removed, and can be deleted without any', async () => {
    const url = await createQueue('mine', letIn('leaving', 'mine'));
    const rule = { Name: 'leaving', EventBusName };
    await putRule('leaving');
    await putTargets('leaving', { Id: 'q', Arn: queueArn('mine') });
    await expect(stack.eventbridge.send(new DeleteRuleCommand(rule))).rejects.toThrow('has targets');
    await stack.eventbridge.send(new RemoveTargetsCommand({ Rule: 'leaving', EventBusName, Ids: ['q'] }));
    await put(1);
    expect(await bodies(url)).toEqual([]);
    await stack.eventbridge.send(new DeleteRuleCommand(rule));
    await stack.eventbridge.send(new DeleteRuleCommand(rule));
    await expect(stack.eventbridge.send(new DescribeRuleCommand(rule))).rejects.toThrow(
      'Rule leaving does not exist on EventBus shop.',
    );
  });

  test('is shown with its targets', async () => {
    await putRule('shown', { Description: 'for the warehouse' });
    await putRule('other');
    const target = { Id: 'q', Arn: queueArn('mine'), InputPath: '$.detail' };
    await putTargets('shown', target);
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
    await putRule('one');
    await putRule('two');
    const list = (NextToken?: string) =>
      stack.eventbridge.send(new ListRulesCommand({ EventBusName, Limit: 1, NextToken }));
    const first = await list();
    const second = await list(first.NextToken);
    expect([first, second].map(({ Rules }) => Rules?.map(({ Name }) => Name))).toEqual([['one'], ['two']]);
    expect(second.NextToken).toBeUndefined();
  });
});

describe("a queue's own policy", () => {
  async function subscribe(Policy?: string): Promise<string | undefined> {
    const url = await createQueue('guarded', Policy);
    await createQueue('dead-letters', letIn('knocking', 'dead-letters'));
    await putRule('knocking');
    const DeadLetterConfig = { Arn: queueArn('dead-letters') };
    await putTargets('knocking', { Id: 'q', Arn: queueArn('guarded'), DeadLetterConfig });
    return url;
  }

  test.each<[string, string | undefined]>([
    ['is missing', undefined],
    ['lets another rule in', letIn('another', 'guarded')],
  ])(
    'keeps a rule out when it %s; the event goes to the dead letters of the target',
    async (_name, policy) => {
      const url = await subscribe(policy);
      await put(1);
      expect(await bodies(url)).toEqual([]);
      expect(await bodies(await createQueue('dead-letters'))).toMatchObject([{ detail: { n: 1 } }]);
      expect(stack.run.accessDenied).toMatchObject([
        { principal: 'events.amazonaws.com', action: 'sqs:SendMessage', resource: queueArn('guarded') },
      ]);
    },
  );

  test('counts from when it is set, and no more when it is taken away', async () => {
    const QueueUrl = await subscribe();
    const setPolicy = (Policy: string) =>
      stack.sqs.send(new SetQueueAttributesCommand({ QueueUrl, Attributes: { Policy } }));
    await setPolicy(letIn('knocking', 'guarded'));
    await put(1);
    await setPolicy('');
    await put(2);
    expect(await bodies(QueueUrl)).toMatchObject([{ detail: { n: 1 } }]);
  });

  test.each([
    ['no JSON', '{'],
    ['a condition that the local run does not know', letIn('a', 'b').replace('ArnEquals', 'DateLessThan')],
  ])('is refused when it is %s', async (_name, policy) => {
    await expect(createQueue('refused', policy)).rejects.toMatchObject({ name: 'InvalidAttributeValue' });
  });
});

describe('refused is', () => {
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
    await expect(putRule('refused', rule)).rejects.toEqual(refusal);
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
    await putRule('refused');
    const refusal = { name: 'ValidationException', message: expect.stringContaining(message) };
    const refused = putTargets('refused', { Id: 't', Arn: queueArn('mine'), ...target });
    await expect(refused).rejects.toEqual(expect.objectContaining(refusal));
  });

  test('a sixth target', async () => {
    await putRule('crowded');
    const targets = Array.from({ length: 6 }, (_, n) => ({ Id: `t${n}`, Arn: queueArn('mine') }));
    await expect(putTargets('crowded', ...targets)).rejects.toMatchObject({ name: 'LimitExceededException' });
  });

  test('a target of a rule that does not exist', async () => {
    const refused = putTargets('none', { Id: 't', Arn: queueArn('mine') });
    await expect(refused).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
  });

  test('a change of a schedule of the stack', async () => {
    const disable = stack.eventbridge.send(new DisableRuleCommand({ Name: stack.run.outputs.Tick }));
    await expect(disable).rejects.toMatchObject({ name: 'ValidationException' });
  });

  test('a function that its role does not allow it', async () => {
    await putRule('described');
    const rule = { Name: 'described', EventBusName };
    expect(await callAs(stack.run, 'EventBridge', 'DescribeRule', rule)).toMatchObject(rule);
    expect(await callAs(stack.run, 'EventBridge', 'DeleteRule', rule)).toEqual({
      error: 'AccessDeniedException',
    });
  });
});

import { ListRulesCommand, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  allow,
  arnOf,
  functionRole,
  lambdaFunction,
  ref,
  type StartedStack,
  startStack,
} from '../fixture.ts';

let stack: StartedStack;

const rule = (detailType: string, target: object): object => ({
  Type: 'AWS::Events::Rule',
  Properties: {
    EventBusName: ref('Bus'),
    EventPattern: { 'detail-type': [detailType] },
    Targets: [{ Id: 'target', ...target }],
  },
});

beforeAll(async () => {
  const letIn = { ...allow('sqs:SendMessage', '*'), Principal: { Service: 'events.amazonaws.com' } };
  stack = await startStack({
    resources: {
      Bus: { Type: 'AWS::Events::EventBus', Properties: { Name: 'shop' } },
      Open: { Type: 'AWS::SQS::Queue' },
      Closed: { Type: 'AWS::SQS::Queue' },
      DeadLetters: { Type: 'AWS::SQS::Queue' },
      Policy: {
        Type: 'AWS::SQS::QueuePolicy',
        Properties: { Queues: [ref('Open'), ref('DeadLetters')], PolicyDocument: { Statement: letIn } },
      },
      Role: functionRole(),
      Echo: lambdaFunction('echo', 'Role'),
      MayInvoke: {
        Type: 'AWS::Lambda::Permission',
        Properties: {
          Action: 'lambda:InvokeFunction',
          FunctionName: arnOf('Echo'),
          Principal: 'events.amazonaws.com',
          SourceArn: arnOf('ToFunction'),
        },
      },
      ToOpen: rule('open', { Arn: arnOf('Open') }),
      ToClosed: rule('closed', { Arn: arnOf('Closed'), DeadLetterConfig: { Arn: arnOf('DeadLetters') } }),
      ToFunction: rule('function', { Arn: arnOf('Echo'), InputPath: '$.detail' }),
      Stranger: rule('stranger', { Arn: arnOf('Echo') }),
    },
    outputs: { Open: ref('Open'), Closed: ref('Closed'), DeadLetters: ref('DeadLetters') },
    functions: { echo: 'export async function handler(event) { console.log(JSON.stringify(event)); }' },
  });
});

afterAll(() => stack?.stop());

async function put(DetailType: string, detail: object | string): Promise<void> {
  const Detail = typeof detail === 'string' ? detail : JSON.stringify(detail);
  const entry = { EventBusName: 'shop', Source: 'erp', DetailType, Detail };
  const { FailedEntryCount } = await stack.eventbridge.send(new PutEventsCommand({ Entries: [entry] }));
  expect(FailedEntryCount).toBe(0);
}

async function next(QueueUrl: string | undefined): Promise<unknown> {
  const { Messages } = await stack.sqs.send(new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 5 }));
  return JSON.parse(Messages?.[0]?.Body ?? 'null');
}

test('an event goes to the queue of the rule that matches', async () => {
  await put('open', { n: 1 });
  expect(await next(stack.run.outputs.Open)).toMatchObject({
    source: 'erp',
    'detail-type': 'open',
    detail: { n: 1 },
  });
});

test('an event whose detail nests thousands of levels reaches its queue', async () => {
  await put('open', `{"n": 5, "deep": ${'['.repeat(5_000)}${']'.repeat(5_000)}}`);
  expect(await next(stack.run.outputs.Open)).toMatchObject({ detail: { n: 5 } });
});

test('an event goes to the dead letters of its target when the queue policy does not allow the rule', async () => {
  await put('closed', { n: 2 });
  expect(await next(stack.run.outputs.DeadLetters)).toMatchObject({ detail: { n: 2 } });
  expect(stack.run.accessDenied).toContainEqual(
    expect.objectContaining({ principal: 'events.amazonaws.com', action: 'sqs:SendMessage' }),
  );
});

test('a function receives the part of the event that the rule selects', async () => {
  await put('function', { n: 3 });
  await expect
    .poll(() => stack.run.functions.logs('Echo').map(({ message }) => message))
    .toContain('{"n":3}');
});

test('a rule can not invoke a function that does not permit it', async () => {
  await put('stranger', { n: 4 });
  await expect
    .poll(() => stack.run.accessDenied.map(({ action }) => action))
    .toContain('lambda:InvokeFunction');
  expect(stack.run.functions.logs('Echo').some(({ message }) => message.includes('stranger'))).toBe(false);
});

test('a malformed entry fails alone', async () => {
  const entries = ['no JSON', '{}'].map((Detail) => ({ Source: 'erp', DetailType: 'none', Detail }));
  const { FailedEntryCount, Entries } = await stack.eventbridge.send(
    new PutEventsCommand({ Entries: entries }),
  );
  expect(FailedEntryCount).toBe(1);
  expect(Entries?.[0]?.ErrorCode).toBe('MalformedDetail');
});

test('rules are described with their patterns', async () => {
  const { Rules } = await stack.eventbridge.send(new ListRulesCommand({ EventBusName: 'shop' }));
  expect(Rules?.map(({ EventPattern }) => EventPattern)).toContain('{"detail-type":["open"]}');
});

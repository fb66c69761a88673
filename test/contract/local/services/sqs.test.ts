import {
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  ListQueuesCommand,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  allow,
  arnOf,
  callAs,
  callerCode,
  clientSettings,
  functionRole,
  lambdaFunction,
  ref,
  type StartedStack,
  startStack,
} from '../fixture.ts';

let stack: StartedStack;

beforeAll(async () => {
  stack = await startStack({
    resources: {
      Queue: { Type: 'AWS::SQS::Queue' },
      Polled: { Type: 'AWS::SQS::Queue' },
      Delayed: { Type: 'AWS::SQS::Queue' },
      Counted: { Type: 'AWS::SQS::Queue' },
      Grouped: { Type: 'AWS::SQS::Queue' },
      Role: functionRole(allow('sqs:SendMessage', arnOf('Queue'))),
      Caller: lambdaFunction('caller', 'Role'),
    },
    outputs: {
      Queue: ref('Queue'),
      Polled: ref('Polled'),
      Delayed: ref('Delayed'),
      Counted: ref('Counted'),
      Grouped: ref('Grouped'),
    },
    functions: { caller: callerCode },
  });
});

afterAll(() => stack?.stop());

test('queue URLs are those of the run in every region', async () => {
  const client = new SQSClient({ ...clientSettings(stack.run), region: 'eu-central-1' });
  const QueueName = stack.run.outputs.Queue?.split('/').at(-1);
  const { QueueUrl } = await client.send(new GetQueueUrlCommand({ QueueName }));
  expect(QueueUrl).toBe(stack.run.outputs.Queue);
  const { QueueUrls } = await client.send(new ListQueuesCommand({}));
  expect(QueueUrls).toContain(stack.run.outputs.Polled);
  client.destroy();
});

test('a message that arrives while a poller gives up is not lost', async () => {
  const QueueUrl = stack.run.outputs.Polled;
  const giveUp = new AbortController();
  const poll = stack.sqs.send(new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 20 }), {
    abortSignal: giveUp.signal,
  });
  // The answer to a later call shows that the gateway has begun the poll.
  await stack.sqs.send(new ListQueuesCommand({}));
  giveUp.abort();
  await expect(poll).rejects.toThrow();
  await stack.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: 'kept' }));
  const { Messages } = await stack.sqs.send(new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 5 }));
  expect(Messages?.map(({ Body }) => Body)).toEqual(['kept']);
});

test('a message that is looked at without hiding it still counts as visible', async () => {
  const QueueUrl = stack.run.outputs.Counted;
  await stack.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: 'x' }));
  const { Messages } = await stack.sqs.send(new ReceiveMessageCommand({ QueueUrl, VisibilityTimeout: 0 }));
  expect(Messages).toHaveLength(1);
  const AttributeNames = ['ApproximateNumberOfMessages' as const];
  const { Attributes } = await stack.sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames }));
  expect(Attributes).toEqual({ ApproximateNumberOfMessages: '1' });
});

test('a standard queue keeps the message group of each message, in what a batch sends too', async () => {
  const QueueUrl = stack.run.outputs.Grouped;
  await stack.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: 'x', MessageGroupId: 'a' }));
  const Entries = [
    { Id: '1', MessageBody: 'same', MessageGroupId: 'b' },
    { Id: '2', MessageBody: 'same', MessageGroupId: 'c' },
    { Id: '3', MessageBody: 'without' },
  ];
  await stack.sqs.send(new SendMessageBatchCommand({ QueueUrl, Entries }));
  const { Messages } = await stack.sqs.send(
    new ReceiveMessageCommand({
      QueueUrl,
      MaxNumberOfMessages: 10,
      MessageSystemAttributeNames: ['MessageGroupId'],
    }),
  );
  expect(Messages?.map(({ Attributes }) => Attributes?.MessageGroupId)).toEqual(['a', 'b', 'c', undefined]);
});

test('a message group that SQS refuses is refused, in a batch that message alone', async () => {
  const QueueUrl = stack.run.outputs.Queue;
  const MessageGroupId = 'two words';
  await expect(
    stack.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: 'x', MessageGroupId })),
  ).rejects.toThrow('MessageGroupId');
  const Entries = [
    { Id: 'good', MessageBody: 'x', MessageGroupId: 'one' },
    { Id: 'bad', MessageBody: 'x', MessageGroupId },
  ];
  const { Successful, Failed } = await stack.sqs.send(new SendMessageBatchCommand({ QueueUrl, Entries }));
  expect(Successful?.map(({ Id }) => Id)).toEqual(['good']);
  expect(Failed).toMatchObject([{ Id: 'bad', Code: 'InvalidParameterValue' }]);
});

test('a message holds up to 1 MB', async () => {
  const QueueUrl = stack.run.outputs.Queue;
  const largest = 'x'.repeat(1024 * 1024);
  await expect(
    stack.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: largest })),
  ).resolves.toBeDefined();
  await expect(
    stack.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: `${largest}x` })),
  ).rejects.toThrow(/1048576/);
});

test('a batch holds up to 1 MB', async () => {
  const half = 'x'.repeat(600 * 1024);
  const Entries = ['a', 'b'].map((Id) => ({ Id, MessageBody: half }));
  const send = stack.sqs.send(new SendMessageBatchCommand({ QueueUrl: stack.run.outputs.Queue, Entries }));
  await expect(send).rejects.toThrow(/longer than 1048576/);
});

test.each([901, -1, 1.5])('a message may not be delayed by %s seconds', async (DelaySeconds) => {
  const QueueUrl = stack.run.outputs.Queue;
  const send = stack.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: 'x', DelaySeconds }));
  await expect(send).rejects.toMatchObject({ name: 'InvalidParameterValue' });
});

test('a batch entry with a delay that is not allowed fails alone', async () => {
  const QueueUrl = stack.run.outputs.Delayed;
  const send = (delays: readonly number[]) => {
    const Entries = delays.map((DelaySeconds) => ({
      Id: `${DelaySeconds}`.replace('.', '_'),
      MessageBody: String(DelaySeconds),
      DelaySeconds,
    }));
    return stack.sqs.send(new SendMessageBatchCommand({ QueueUrl, Entries }));
  };
  const answer = await send([0, 901, 900, -1, 1.5]);
  expect(answer.Successful?.map(({ Id }) => Id)).toEqual(['0', '900']);
  expect(answer.Failed).toEqual(
    ['901', '-1', '1_5'].map((Id) =>
      expect.objectContaining({ Id, Code: 'InvalidParameterValue', SenderFault: true }),
    ),
  );
  expect((await send([-1])).Failed).toHaveLength(1);
  const { Messages } = await stack.sqs.send(new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 }));
  expect(Messages?.map(({ Body }) => Body)).toEqual(['0']);
});

test('permission to send a message covers a batch, and does not cover receiving', async () => {
  const QueueUrl = stack.run.outputs.Queue;
  const Entries = [{ Id: '1', MessageBody: 'x' }];
  expect(await callAs(stack.run, 'SQS', 'SendMessageBatch', { QueueUrl, Entries })).not.toHaveProperty(
    'error',
  );
  expect(await callAs(stack.run, 'SQS', 'ReceiveMessage', { QueueUrl })).toEqual({
    error: 'AccessDeniedException',
  });
});

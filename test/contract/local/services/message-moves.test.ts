import {
  ListDeadLetterSourceQueuesCommand,
  ListMessageMoveTasksCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  StartMessageMoveTaskCommand,
} from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { until } from '../../../../local/run/until.ts';
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

let stack: StartedStack;

const withDeadLetters = (deadLetters: string) => ({
  Type: 'AWS::SQS::Queue',
  Properties: { RedrivePolicy: { deadLetterTargetArn: arnOf(deadLetters), maxReceiveCount: 3 } },
});

beforeAll(async () => {
  const move = ['StartMessageMoveTask', 'ListMessageMoveTasks', 'ReceiveMessage', 'DeleteMessage'];
  stack = await startStack({
    resources: {
      Work: withDeadLetters('Dead'),
      Dead: { Type: 'AWS::SQS::Queue' },
      OtherWork: withDeadLetters('OtherDead'),
      OtherDead: { Type: 'AWS::SQS::Queue' },
      OneWork: withDeadLetters('SharedDead'),
      AnotherWork: withDeadLetters('SharedDead'),
      SharedDead: { Type: 'AWS::SQS::Queue' },
      Elsewhere: { Type: 'AWS::SQS::Queue' },
      Role: functionRole(
        allow(
          [...move, 'GetQueueAttributes'].map((action) => `sqs:${action}`),
          arnOf('Dead'),
        ),
        allow('sqs:SendMessage', arnOf('Work')),
      ),
      Caller: lambdaFunction('caller', 'Role'),
    },
    outputs: Object.fromEntries(
      ['Work', 'Dead', 'OtherWork', 'OtherDead', 'SharedDead', 'Elsewhere'].flatMap((name) => [
        [name, ref(name)],
        [`${name}Arn`, arnOf(name)],
      ]),
    ),
    functions: { caller: callerCode },
  });
});

afterAll(() => stack?.stop());

const output = (name: string) => stack.run.outputs[name] ?? expect.unreachable(name);
const receive = async (queue: string) =>
  (
    await stack.sqs.send(
      new ReceiveMessageCommand({
        QueueUrl: output(queue),
        MaxNumberOfMessages: 10,
        MessageAttributeNames: ['All'],
        VisibilityTimeout: 0,
      }),
    )
  ).Messages ?? [];
const bodies = async (queue: string) => (await receive(queue)).map(({ Body }) => Body).sort();
const list = async (source: string, MaxResults?: number) =>
  (await stack.sqs.send(new ListMessageMoveTasksCommand({ SourceArn: output(source), MaxResults })))
    .Results ?? [];
const ended = (source: string) =>
  until('the end of the move', async () => {
    const [task] = await list(source);
    return task?.Status !== 'RUNNING' && task;
  });
const start = (SourceArn: string, options: object = {}) =>
  stack.sqs.send(new StartMessageMoveTaskCommand({ SourceArn, ...options }));
const send = (queue: string, MessageBody: string, options: object = {}) =>
  stack.sqs.send(new SendMessageCommand({ QueueUrl: output(queue), MessageBody, ...options }));

describe('a move out of a dead-letter queue', () => {
  test('moves all messages, with their attributes, to the named queue', async () => {
    const reason = { DataType: 'String', StringValue: 'NO_PERMISSIONS' };
    for (let number = 10; number < 22; number += 1)
      await send('Dead', String(number), { MessageAttributes: { ERROR_CODE: reason } });
    const to = { DestinationArn: output('WorkArn') };
    expect(await start(output('DeadArn'), to)).toMatchObject({ TaskHandle: expect.any(String) });
    expect(await ended('DeadArn')).toMatchObject({
      Status: 'COMPLETED',
      SourceArn: output('DeadArn'),
      ApproximateNumberOfMessagesMoved: 12,
      ApproximateNumberOfMessagesToMove: 12,
    });
    expect(await receive('Dead')).toEqual([]);
    const [moved] = await receive('Work');
    expect(moved?.MessageAttributes).toEqual({ ERROR_CODE: reason });
  });

  test('without a destination returns a message to the queue that gave it up, and fails for one that came another way', async () => {
    await send('OtherWork', 'given up');
    for (let receives = 0; receives < 4; receives += 1) await receive('OtherWork');
    expect(await bodies('OtherDead')).toEqual(['given up']);
    await start(output('OtherDeadArn'));
    expect(await ended('OtherDeadArn')).toMatchObject({ Status: 'COMPLETED' });
    expect(await bodies('OtherWork')).toEqual(['given up']);

    await send('OtherDead', 'sent by a bus');
    await start(output('OtherDeadArn'));
    expect(await ended('OtherDeadArn')).toMatchObject({
      Status: 'FAILED',
      FailureReason: 'CouldNotDetermineMessageSource',
      ApproximateNumberOfMessagesMoved: 0,
    });
  });

  test('goes to a named queue at no more than the given rate, and only one runs at a time', async () => {
    for (const body of ['a', 'b', 'c']) await send('SharedDead', body);
    const to = { DestinationArn: output('ElsewhereArn'), MaxNumberOfMessagesPerSecond: 4 };
    await start(output('SharedDeadArn'), to);
    await expect(start(output('SharedDeadArn'), to)).rejects.toMatchObject({
      name: 'UnsupportedOperation',
    });
    expect(await list('SharedDeadArn')).toMatchObject([
      { Status: 'RUNNING', TaskHandle: expect.any(String) },
    ]);
    const task = await ended('SharedDeadArn');
    expect(task).toMatchObject({ ...to, Status: 'COMPLETED' });
    expect(task.TaskHandle).toBeUndefined();
    expect(await bodies('Elsewhere')).toEqual(['a', 'b', 'c']);
    await start(output('SharedDeadArn'), to);
    await ended('SharedDeadArn');
    expect(await list('SharedDeadArn', 10)).toMatchObject([
      { ApproximateNumberOfMessagesToMove: 0 },
      { ApproximateNumberOfMessagesToMove: 3 },
    ]);
  });

  test('has its possible source queues listed for each dead-letter queue', async () => {
    const sources = async (queue: string) =>
      (await stack.sqs.send(new ListDeadLetterSourceQueuesCommand({ QueueUrl: output(queue) }))).queueUrls;
    expect(await sources('Dead')).toEqual([output('Work')]);
    expect(await sources('SharedDead')).toHaveLength(2);
    expect(await sources('Work')).toEqual([]);
  });

  test.each([
    ['is no dead-letter queue', 'InvalidParameterValue', () => [output('WorkArn')]],
    ['is not there', 'ResourceNotFoundException', () => [`${output('DeadArn')}x`]],
    [
      'is to be emptied into a queue that is not there',
      'ResourceNotFoundException',
      () => [output('DeadArn'), { DestinationArn: `${output('WorkArn')}x` }],
    ],
    [
      'is to be emptied into itself',
      'InvalidParameterValue',
      () => [output('DeadArn'), { DestinationArn: output('DeadArn') }],
    ],
    [
      'is to be emptied too fast',
      'InvalidParameterValue',
      () => [output('DeadArn'), { MaxNumberOfMessagesPerSecond: 501 }],
    ],
    [
      'belongs to several queues, none of them named',
      'UnsupportedOperation',
      () => [output('SharedDeadArn')],
    ],
  ] as [string, string, () => [string, object?]][])(
    'is refused when the source %s',
    async (_, name, input) => {
      await expect(start(...input())).rejects.toMatchObject({ name });
    },
  );

  test('needs permissions on both queues', async () => {
    const from = { SourceArn: output('DeadArn') };
    expect(await callAs(stack.run, 'SQS', 'StartMessageMoveTask', from)).toMatchObject({
      TaskHandle: expect.any(String),
    });
    await ended('DeadArn');
    expect(await callAs(stack.run, 'SQS', 'ListMessageMoveTasks', from)).toMatchObject({
      Results: [{ Status: 'COMPLETED' }],
    });
    const denied = { error: 'AccessDeniedException' };
    const elsewhere = { ...from, DestinationArn: output('ElsewhereArn') };
    expect(await callAs(stack.run, 'SQS', 'StartMessageMoveTask', elsewhere)).toEqual(denied);
    const shared = { SourceArn: output('SharedDeadArn') };
    expect(await callAs(stack.run, 'SQS', 'StartMessageMoveTask', shared)).toEqual(denied);
    expect(await callAs(stack.run, 'SQS', 'ListMessageMoveTasks', shared)).toEqual(denied);
  });
});

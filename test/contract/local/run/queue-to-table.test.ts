import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { expect, test } from 'vitest';
import {
  allow,
  arnOf,
  functionRole,
  type HandMadeStack,
  lambdaFunction,
  ref,
  startStack,
  table,
} from '../fixture.ts';

const writer = `
import { createRequire } from 'node:module';
const { DynamoDBClient, PutItemCommand } = createRequire('${import.meta.filename}')('@aws-sdk/client-dynamodb');
const client = new DynamoDBClient({});
export async function handler(event) {
  for (const { body } of event.Records) {
    await client.send(new PutItemCommand({ TableName: process.env.TABLE, Item: { id: { S: body } } }));
  }
}`;

function stack(tableActions: string[]): HandMadeStack {
  const receive = ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'];
  return {
    resources: {
      Table: table(),
      Queue: { Type: 'AWS::SQS::Queue', Properties: { VisibilityTimeout: 60 } },
      Role: functionRole(allow(receive, arnOf('Queue')), allow(tableActions, arnOf('Table'))),
      Writer: lambdaFunction('writer', 'Role', { TABLE: ref('Table') }),
      Mapping: {
        Type: 'AWS::Lambda::EventSourceMapping',
        Properties: { EventSourceArn: arnOf('Queue'), FunctionName: ref('Writer'), BatchSize: 10 },
      },
    },
    outputs: { QueueUrl: ref('Queue'), TableName: ref('Table') },
    functions: { writer },
  };
}

test('a message goes through the queue and the function into the table', async () => {
  await using started = await startStack(stack(['dynamodb:PutItem']));
  const { run, sqs, dynamodb } = started;
  await sqs.send(new SendMessageCommand({ QueueUrl: run.outputs.QueueUrl, MessageBody: 'parcel 📦' }));
  await run.idle();
  const key = { id: { S: 'parcel 📦' } };
  const { Item } = await dynamodb.send(new GetItemCommand({ TableName: run.outputs.TableName, Key: key }));
  expect(Item).toEqual(key);
  expect(run.accessDenied).toEqual([]);
});

test('a function whose role lacks a permission gets AccessDenied, and the refusal is recorded', async () => {
  await using started = await startStack(stack(['dynamodb:GetItem']));
  const { run, sqs } = started;
  await sqs.send(new SendMessageCommand({ QueueUrl: run.outputs.QueueUrl, MessageBody: 'refused' }));
  await expect.poll(() => run.accessDenied).toHaveLength(1);
  expect(run.accessDenied[0]).toMatchObject({
    principal: 'arn:aws:iam::000000000000:role/MarketplaceConnector-Role',
    action: 'dynamodb:PutItem',
    resource: `arn:aws:dynamodb:us-east-1:000000000000:table/${run.outputs.TableName}`,
  });
  await expect
    .poll(() => run.functions.logs('Writer').some(({ message }) => message.includes('AccessDeniedException')))
    .toBe(true);
});

test('a mapping whose role may not read the queue does not start', async () => {
  const broken = stack([]);
  const start = startStack({ ...broken, resources: { ...broken.resources, Role: functionRole() } });
  await expect(start).rejects.toThrow('AccessDenied: the role of Writer lacks sqs:ReceiveMessage');
});

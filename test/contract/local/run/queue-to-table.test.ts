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

test('a message that failed is received again after seconds, long before the visibility timeout of its queue', async () => {
  const failing = `
import { createRequire } from 'node:module';
import { redeliverSoon } from '${new URL('../../../../shared/aws/redelivery.ts', import.meta.url)}';
const require = createRequire('${import.meta.filename}');
const { SQSClient } = require('@aws-sdk/client-sqs');
const { DynamoDBClient, PutItemCommand } = require('@aws-sdk/client-dynamodb');
export async function handler({ Records }) {
  const receives = Number(Records[0].attributes.ApproximateReceiveCount);
  if (receives < 3) {
    const messages = Records.map(({ receiptHandle }) => ({ receiptHandle, receives: 1 }));
    await redeliverSoon(new SQSClient({}), process.env.SOURCE_QUEUE_URL, messages);
    throw new Error('the table throttles');
  }
  const Item = { id: { S: Records[0].body }, receives: { N: String(receives) } };
  await new DynamoDBClient({}).send(new PutItemCommand({ TableName: process.env.TABLE, Item }));
}`;
  const { resources, ...rest } = stack(['dynamodb:PutItem']);
  const actions = ['Receive', 'Delete'].map((action) => `sqs:${action}Message`);
  const queueActions = [...actions, 'sqs:GetQueueAttributes', 'sqs:ChangeMessageVisibility'];
  await using started = await startStack({
    ...rest,
    resources: {
      ...resources,
      Queue: { Type: 'AWS::SQS::Queue', Properties: { VisibilityTimeout: 3_600 } },
      Role: functionRole(allow(queueActions, arnOf('Queue')), allow(['dynamodb:PutItem'], arnOf('Table'))),
      Writer: lambdaFunction('writer', 'Role', { TABLE: ref('Table'), SOURCE_QUEUE_URL: ref('Queue') }),
    },
    functions: { writer: failing },
  });
  const { run, sqs, dynamodb } = started;
  await sqs.send(new SendMessageCommand({ QueueUrl: run.outputs.QueueUrl, MessageBody: 'zero' }));
  const read = async () => {
    const Key = { id: { S: 'zero' } };
    return (await dynamodb.send(new GetItemCommand({ TableName: run.outputs.TableName, Key }))).Item;
  };
  await expect.poll(read, { timeout: 120_000 }).toMatchObject({ receives: { N: '3' } });
  expect(run.accessDenied).toEqual([]);
}, 180_000);

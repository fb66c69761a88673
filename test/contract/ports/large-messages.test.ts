import { DeleteObjectCommand, HeadObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLargeMessageSender, createLargeMessages } from '../../../shared/aws/archive-bucket.ts';
import { createQueueSender, MAX_MESSAGE_BYTES } from '../../../shared/aws/queue-sender.ts';
import { ref, type StartedStack, startStack } from '../local/fixture.ts';

let stack: StartedStack;
let bucket: string;
let queueUrl: string;

beforeAll(async () => {
  stack = await startStack({
    resources: { Archive: { Type: 'AWS::S3::Bucket' }, Commands: { Type: 'AWS::SQS::Queue' } },
    outputs: { Bucket: ref('Archive'), QueueUrl: ref('Commands') },
  });
  bucket = stack.run.outputs.Bucket ?? '';
  queueUrl = stack.run.outputs.QueueUrl ?? '';
});

afterAll(async () => {
  await stack?.stop();
});

/** Sends a body and returns its message in the queue. */
async function sendAndReceive(body: string): Promise<string> {
  const sender = createLargeMessageSender(createQueueSender(stack.sqs, queueUrl), bucket, stack.s3);
  await sender.send([body]);
  const { Messages = [] } = await stack.sqs.send(
    new ReceiveMessageCommand({ QueueUrl: queueUrl, WaitTimeSeconds: 5, VisibilityTimeout: 600 }),
  );
  return Messages[0]?.Body ?? expect.unreachable();
}

/** A JSON body of this many bytes in UTF-8. */
function bodyOf(bytes: number): string {
  const frame = JSON.stringify({ filling: 'é' });
  return JSON.stringify({ filling: `é${'x'.repeat(bytes - Buffer.byteLength(frame))}` });
}

const open = (message: string) => createLargeMessages(bucket, stack.s3).open(message);

test('a body that fits a queue message is sent in the message', async () => {
  const body = bodyOf(MAX_MESSAGE_BYTES);
  expect(await sendAndReceive(body)).toBe(body);
  expect(await open(body)).toBe(body);
});

test('a body one byte larger is sent through S3 and arrives unchanged', async () => {
  const body = bodyOf(MAX_MESSAGE_BYTES + 1);
  const message = await sendAndReceive(body);
  expect(message).toMatch(/^\{"bodyObject":"messages\/[0-9a-f]{64}\.json"\}$/);
  expect(await open(message)).toBe(body);
});

test('a message whose object was replaced or deleted is an error', async () => {
  const message = await sendAndReceive(bodyOf(MAX_MESSAGE_BYTES + 2));
  const object = { Bucket: bucket, Key: String(JSON.parse(message).bodyObject) };
  expect((await stack.s3.send(new HeadObjectCommand(object))).ContentType).toBe('application/json');
  await stack.s3.send(new PutObjectCommand({ ...object, Body: '{}' }));
  await expect(open(message)).rejects.toMatchObject({ code: 'MESSAGE_BODY_DAMAGED' });
  await stack.s3.send(new DeleteObjectCommand(object));
  await expect(open(message)).rejects.toMatchObject({ name: 'NoSuchKey' });
});

test.each([
  '{"bodyObject":"requests/1.json"}',
  `{"bodyObject":"messages/../requests/${'0'.repeat(64)}.json"}`,
  `{"bodyObject":"messages/${'0'.repeat(64)}.json","detail":{}}`,
  '{"detail":{}}',
  'no JSON',
  '{"bodyObject": oops',
  '{"bodyObject":oops',
])('a message that names no stored object is its own body: %s', async (message) => {
  expect(await open(message)).toBe(message);
});

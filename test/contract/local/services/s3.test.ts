import { Readable } from 'node:stream';
import { GetObjectCommand, HeadObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { until } from '../../../../local/run/until.ts';
import {
  allow,
  arnOf,
  callAs,
  callerCode,
  functionRole,
  key,
  lambdaFunction,
  ref,
  type StartedStack,
  startStack,
} from '../fixture.ts';

const objects = (bucket: string): object => ({ 'Fn::Join': ['', [arnOf(bucket), '/*']] });
const encrypted = {
  ServerSideEncryptionConfiguration: [
    { ServerSideEncryptionByDefault: { SSEAlgorithm: 'aws:kms', KMSMasterKeyID: arnOf('Key') } },
  ],
};
const pattern = { source: ['aws.s3'], 'detail-type': ['Object Created'] };
const rule = (queue: string, bus: object): object => ({
  Type: 'AWS::Events::Rule',
  Properties: { EventPattern: pattern, Targets: [{ Id: 't', Arn: arnOf(queue) }], ...bus },
});

let stack: StartedStack;
let bucket: string;

beforeAll(async () => {
  stack = await startStack({
    resources: {
      Key: key(),
      Imports: {
        Type: 'AWS::S3::Bucket',
        Properties: { NotificationConfiguration: { EventBridgeConfiguration: { EventBridgeEnabled: true } } },
      },
      Listed: { Type: 'AWS::S3::Bucket' },
      Secret: { Type: 'AWS::S3::Bucket', Properties: { BucketEncryption: encrypted } },
      Bus: { Type: 'AWS::Events::EventBus', Properties: { Name: 'own' } },
      FromDefault: { Type: 'AWS::SQS::Queue' },
      FromOwn: { Type: 'AWS::SQS::Queue' },
      DefaultRule: rule('FromDefault', {}),
      OwnRule: rule('FromOwn', { EventBusName: ref('Bus') }),
      Policy: {
        Type: 'AWS::SQS::QueuePolicy',
        Properties: {
          Queues: [ref('FromDefault'), ref('FromOwn')],
          PolicyDocument: {
            Statement: { ...allow('sqs:SendMessage', '*'), Principal: { Service: 'events.amazonaws.com' } },
          },
        },
      },
      Role: functionRole(
        allow(['s3:GetObject', 's3:PutObject'], [objects('Imports'), objects('Listed'), objects('Secret')]),
        allow('s3:ListBucket', arnOf('Listed')),
        allow('kms:GenerateDataKey', arnOf('Key')),
      ),
      Caller: lambdaFunction('caller', 'Role'),
    },
    outputs: {
      Imports: ref('Imports'),
      Listed: ref('Listed'),
      Secret: ref('Secret'),
      FromDefault: ref('FromDefault'),
      FromOwn: ref('FromOwn'),
    },
    functions: { caller: callerCode },
  });
  bucket = stack.run.outputs.Imports ?? '';
});

afterAll(() => stack?.stop());

interface ObjectCreated {
  readonly detail: { readonly bucket: { readonly name: string }; readonly object: { readonly key: string } };
}

async function received(queueUrl: string | undefined): Promise<ObjectCreated[]> {
  const command = new ReceiveMessageCommand({
    QueueUrl: queueUrl,
    WaitTimeSeconds: 1,
    MaxNumberOfMessages: 10,
  });
  const { Messages = [] } = await stack.sqs.send(command);
  return Messages.map(({ Body }) => JSON.parse(Body ?? ''));
}

/** The events on the default bus up to the one about this object. */
async function eventsUntil(key: string): Promise<ObjectCreated[]> {
  const events: ObjectCreated[] = [];
  await until(`the object ${key}`, async () => {
    events.push(...(await received(stack.run.outputs.FromDefault)));
    return events.some(({ detail }) => detail.object.key === key);
  });
  return events;
}

test('a created object is announced on the default bus and on no other', async () => {
  await stack.s3.send(new PutObjectCommand({ Bucket: bucket, Key: 'catalog/a b.json', Body: '{"a":1}' }));
  const events = await eventsUntil('catalog/a b.json');
  expect(events.filter(({ detail }) => detail.object.key === 'catalog/a b.json')).toMatchObject([
    {
      source: 'aws.s3',
      'detail-type': 'Object Created',
      detail: { bucket: { name: bucket }, object: { size: 7 }, reason: 'PutObject' },
    },
  ]);
  expect(await received(stack.run.outputs.FromOwn)).toEqual([]);
});

test('a bucket without notifications announces nothing', async () => {
  const { Listed } = stack.run.outputs;
  await stack.s3.send(new PutObjectCommand({ Bucket: Listed, Key: 'unannounced', Body: 'x' }));
  await stack.s3.send(new PutObjectCommand({ Bucket: bucket, Key: 'announced', Body: 'x' }));
  const events = await eventsUntil('announced');
  expect(events.filter(({ detail }) => detail.bucket.name === Listed)).toEqual([]);
});

test('exactly one of several writers that require a new object succeeds', async () => {
  const writes = Array.from({ length: 8 }, (_, index) =>
    stack.s3.send(
      new PutObjectCommand({ Bucket: bucket, Key: 'once', Body: String(index), IfNoneMatch: '*' }),
    ),
  );
  const outcomes = await Promise.allSettled(writes);
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect(outcomes.find(({ status }) => status === 'rejected')).toMatchObject({
    reason: { name: 'PreconditionFailed' },
  });
});

test('a write conditional on an ETag succeeds only with the current one', async () => {
  const { ETag } = await stack.s3.send(new PutObjectCommand({ Bucket: bucket, Key: 'tagged', Body: '1' }));
  const write = (IfMatch: string | undefined, Key = 'tagged') =>
    stack.s3.send(new PutObjectCommand({ Bucket: bucket, Key, Body: '2', IfMatch }));
  await expect(write(ETag)).resolves.toBeDefined();
  await expect(write(ETag)).rejects.toMatchObject({ name: 'PreconditionFailed' });
  await expect(write(ETag, 'missing')).rejects.toMatchObject({ name: 'NoSuchKey' });
});

test('an object may have any content type, also that of a form', async () => {
  const ContentType = 'application/x-www-form-urlencoded';
  await stack.s3.send(new PutObjectCommand({ Bucket: bucket, Key: 'form', Body: 'a=1', ContentType }));
  const head = await stack.s3.send(new HeadObjectCommand({ Bucket: bucket, Key: 'form' }));
  expect(head).toMatchObject({ ContentLength: 3, ContentType });
});

test('an empty object without a content type is stored, as in S3', async () => {
  const folder = { Bucket: bucket, Key: 'catalog/store/' };
  const url = await getSignedUrl(stack.s3, new PutObjectCommand(folder));
  expect((await fetch(url, { method: 'PUT' })).status).toBe(200);
  const { ContentLength, ContentType } = await stack.s3.send(new HeadObjectCommand(folder));
  expect({ ContentLength, ContentType }).toEqual({ ContentLength: 0, ContentType: 'binary/octet-stream' });
});

test('an object with chunks below 8 KiB is refused, as in S3', async () => {
  const put = (chunkBytes: number) =>
    stack.s3.send(
      new PutObjectCommand({
        Bucket: bucket,
        Key: 'chunks',
        Body: Readable.from([Buffer.alloc(chunkBytes), Buffer.alloc(1)], { objectMode: false }),
        ContentLength: chunkBytes + 1,
      }),
    );
  await expect(put(8 * 1024 - 1)).rejects.toMatchObject({ name: 'InvalidChunkSizeError' });
  await put(8 * 1024);
});

test('a key above 1,024 bytes, or metadata above 2 KB, are refused, as in S3', async () => {
  const put = (Key: string, text: string) =>
    stack.s3.send(new PutObjectCommand({ Bucket: bucket, Key, Body: 'x', Metadata: { text } }));
  await expect(put('é'.repeat(512), 'x'.repeat(2_044))).resolves.toBeDefined();
  await expect(put('é'.repeat(513), 'x')).rejects.toMatchObject({ name: 'KeyTooLongError' });
  await expect(put('k', 'x'.repeat(2_045))).rejects.toMatchObject({ name: 'MetadataTooLarge' });
});

test('an object larger than the limit of fauxqs is stored in one request', async () => {
  const Body = Buffer.alloc(12 * 1024 * 1024, 'x');
  await stack.s3.send(new PutObjectCommand({ Bucket: bucket, Key: 'large', Body }));
  const head = await stack.s3.send(new HeadObjectCommand({ Bucket: bucket, Key: 'large' }));
  expect(head.ContentLength).toBe(Body.length);
});

describe('a presigned URL', () => {
  test('opens its object and no other', async () => {
    await stack.s3.send(new PutObjectCommand({ Bucket: bucket, Key: 'label.pdf', Body: '%PDF' }));
    const url = await getSignedUrl(stack.s3, new GetObjectCommand({ Bucket: bucket, Key: 'label.pdf' }), {
      expiresIn: 60,
    });
    expect(await (await fetch(url)).text()).toBe('%PDF');
    expect((await fetch(url.replace('label.pdf', 'other.pdf'))).status).toBe(403);
  });

  test('is refused without its signature', async () => {
    expect((await fetch(`${stack.run.endpoint}/${bucket}/label.pdf`)).status).toBe(403);
  });
});

describe('a function that reads S3', () => {
  test('learns that an object is missing when it may list the bucket', async () => {
    const input = { Bucket: stack.run.outputs.Listed, Key: 'missing' };
    expect(await callAs(stack.run, 'S3', 'GetObject', input)).toEqual({ error: 'NoSuchKey' });
  });

  test('gets AccessDenied for a missing object when it may not list the bucket', async () => {
    expect(await callAs(stack.run, 'S3', 'GetObject', { Bucket: bucket, Key: 'missing' })).toEqual({
      error: 'AccessDenied',
    });
  });

  test('needs permissions on the key of an encrypted bucket', async () => {
    const input = { Bucket: stack.run.outputs.Secret, Key: 'k' };
    expect(await callAs(stack.run, 'S3', 'PutObject', { ...input, Body: 'x' })).not.toHaveProperty('error');
    expect(await callAs(stack.run, 'S3', 'GetObject', input)).toEqual({ error: 'AccessDenied' });
    expect(stack.run.accessDenied.at(-1)).toMatchObject({ action: 'kms:Decrypt' });
  });
});

import { Readable } from 'node:stream';
import { GetObjectCommand, HeadObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { until } from '../../../run/until.ts';
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

/** What the default bus is told until it is told of this object. */
async function toldUntil(key: string): Promise<ObjectCreated[]> {
  const told: ObjectCreated[] = [];
  await until(`the object ${key}`, async () => {
    told.push(...(await received(stack.run.outputs.FromDefault)));
    return told.some(({ detail }) => detail.object.key === key);
  });
  return told;
}

test('an object created is told to the default bus, and to no other', async () => {
  await stack.s3.send(new PutObjectCommand({ Bucket: bucket, Key: 'catalog/a b.json', Body: '{"a":1}' }));
  const told = await toldUntil('catalog/a b.json');
  expect(told.filter(({ detail }) => detail.object.key === 'catalog/a b.json')).toMatchObject([
    {
      source: 'aws.s3',
      'detail-type': 'Object Created',
      detail: { bucket: { name: bucket }, object: { size: 7 }, reason: 'PutObject' },
    },
  ]);
  expect(await received(stack.run.outputs.FromOwn)).toEqual([]);
});

test('a bucket without notifications tells nobody', async () => {
  const { Listed } = stack.run.outputs;
  await stack.s3.send(new PutObjectCommand({ Bucket: Listed, Key: 'untold', Body: 'x' }));
  await stack.s3.send(new PutObjectCommand({ Bucket: bucket, Key: 'told', Body: 'x' }));
  const told = await toldUntil('told');
  expect(told.filter(({ detail }) => detail.bucket.name === Listed)).toEqual([]);
});

test('of writers who all demand that the object is new, one wins', async () => {
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

test('a write on the condition of an ETag goes through with the present one only', async () => {
  const { ETag } = await stack.s3.send(new PutObjectCommand({ Bucket: bucket, Key: 'tagged', Body: '1' }));
  const write = (IfMatch: string | undefined, Key = 'tagged') =>
    stack.s3.send(new PutObjectCommand({ Bucket: bucket, Key, Body: '2', IfMatch }));
  await expect(write(ETag)).resolves.toBeDefined();
  await expect(write(ETag)).rejects.toMatchObject({ name: 'PreconditionFailed' });
  await expect(write(ETag, 'missing')).rejects.toMatchObject({ name: 'NoSuchKey' });
});

test('an object may be of any content type, a form too', async () => {
  const ContentType = 'application/x-www-form-urlencoded';
  await stack.s3.send(new PutObjectCommand({ Bucket: bucket, Key: 'form', Body: 'a=1', ContentType }));
  const head = await stack.s3.send(new HeadObjectCommand({ Bucket: bucket, Key: 'form' }));
  expect(head).toMatchObject({ ContentLength: 3, ContentType });
});

test('an object in chunks below 8 KiB is refused, as S3 does', async () => {
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

test('an object larger than fauxqs takes by itself goes in one request', async () => {
  const Body = Buffer.alloc(12 * 1024 * 1024, 'x');
  await stack.s3.send(new PutObjectCommand({ Bucket: bucket, Key: 'large', Body }));
  const head = await stack.s3.send(new HeadObjectCommand({ Bucket: bucket, Key: 'large' }));
  expect(head.ContentLength).toBe(Body.length);
});

describe('a presigned URL', () => {
  test('opens the object, but not another one', async () => {
    await stack.s3.send(new PutObjectCommand({ Bucket: bucket, Key: 'label.pdf', Body: '%PDF' }));
    const url = await getSignedUrl(stack.s3, new GetObjectCommand({ Bucket: bucket, Key: 'label.pdf' }), {
      expiresIn: 60,
    });
    expect(await (await fetch(url)).text()).toBe('%PDF');
    expect((await fetch(url.replace('label.pdf', 'other.pdf'))).status).toBe(403);
  });

  test('is worth nothing without its signature', async () => {
    expect((await fetch(`${stack.run.endpoint}/${bucket}/label.pdf`)).status).toBe(403);
  });
});

describe('a function', () => {
  test('that may list the bucket learns that an object is not there', async () => {
    const input = { Bucket: stack.run.outputs.Listed, Key: 'missing' };
    expect(await callAs(stack.run, 'S3', 'GetObject', input)).toEqual({ error: 'NoSuchKey' });
  });

  test('that may not list it is refused instead', async () => {
    expect(await callAs(stack.run, 'S3', 'GetObject', { Bucket: bucket, Key: 'missing' })).toEqual({
      error: 'AccessDenied',
    });
  });

  test('needs the permissions on the key of an encrypted bucket', async () => {
    const input = { Bucket: stack.run.outputs.Secret, Key: 'k' };
    expect(await callAs(stack.run, 'S3', 'PutObject', { ...input, Body: 'x' })).not.toHaveProperty('error');
    expect(await callAs(stack.run, 'S3', 'GetObject', input)).toEqual({ error: 'AccessDenied' });
    expect(stack.run.accessDenied.at(-1)).toMatchObject({ action: 'kms:Decrypt' });
  });
});

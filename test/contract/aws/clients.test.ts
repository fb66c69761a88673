import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { SendMessageCommand, SQSClient, SQSServiceException } from '@aws-sdk/client-sqs';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { limits } from '../../../shared/aws/clients.ts';
import { createSecretReader } from '../../../shared/aws/partner-secret.ts';
import { ref, type StartedStack, startStack } from '../local/fixture.ts';

const credentials = { accessKeyId: 'key', secretAccessKey: 'secret' };

type Answer = readonly [status: number, body: string] | 'cut' | 'none';

/** Milliseconds after which the impatient give up. */
const IMPATIENT_MS = 50;

let server: Server;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

/** A queue service with these answers in order; the last one repeats. `seen` counts the requests. */
async function serviceWith(...answers: Answer[]) {
  const seen = { requests: 0 };
  server = createServer((_, response) => {
    const answer = answers[Math.min(seen.requests, answers.length - 1)];
    seen.requests += 1;
    if (answer === 'cut') response.destroy();
    else if (Array.isArray(answer)) {
      response.writeHead(answer[0], { 'content-type': 'application/x-amz-json-1.0' }).end(answer[1]);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { requestHandler, ...usual } = limits('usual');
  const client = new SQSClient({
    ...usual,
    requestHandler: { ...requestHandler, requestTimeout: IMPATIENT_MS },
    endpoint,
    region: 'eu-central-1',
    credentials,
    md5: false,
  });
  const message = new SendMessageCommand({ QueueUrl: endpoint, MessageBody: '{}' });
  return { seen, send: async () => (await client.send(message)).MessageId };
}

const refusal = (type: string) => `{"__type":"com.amazonaws.sqs#${type}","message":"no"}`;
const done: Answer = [200, '{"MessageId":"done"}'];

describe('a call of AWS', () => {
  test.each<[string, Answer]>([
    ['an error of the service', [503, '']],
    ['a cut connection', 'cut'],
    ['throttling', [400, refusal('ThrottlingException')]],
    ['no answer in time', 'none'],
  ])('is repeated after %s', async (_, failure) => {
    const { send, seen } = await serviceWith(failure, failure, done);
    expect(await send()).toBe('done');
    expect(seen.requests).toBe(3);
  });

  test('fails with the error of the fourth attempt', async () => {
    const { send, seen } = await serviceWith([500, refusal('InternalFailure')]);
    await expect(send()).rejects.toMatchObject({ name: 'InternalFailure' });
    expect(seen.requests).toBe(4);
  });

  test('that is refused fails at once', async () => {
    const { send, seen } = await serviceWith([403, refusal('AccessDeniedException')]);
    const error = await send().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(SQSServiceException);
    expect(error).toMatchObject({ name: 'AccessDeniedException' });
    expect(seen.requests).toBe(1);
  });
});

describe('an object of S3', () => {
  test('whose body stands still fails at the time limit of its socket', async () => {
    server = createServer((_, response) => {
      response.writeHead(200, { 'content-length': '1000' });
      response.write('a part');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { requestHandler } = limits('usual');
    const s3 = new S3Client({
      requestHandler: { ...requestHandler, socketTimeout: IMPATIENT_MS },
      endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      region: 'eu-central-1',
      credentials,
      forcePathStyle: true,
    });
    const { Body } = await s3.send(new GetObjectCommand({ Bucket: 'bucket', Key: 'key' }));
    await expect(Body?.transformToString()).rejects.toMatchObject({ name: 'TimeoutError' });
  });

  test.each(['usual', 'prompt', 'large'] as const)(
    'is given no longer for its body than for its answer: %s',
    (pace) => {
      const { socketTimeout, requestTimeout } = limits(pace).requestHandler;
      expect(socketTimeout).toBe(requestTimeout);
    },
  );
});

describe('a secret', () => {
  let stack: StartedStack;
  beforeAll(async () => {
    stack = await startStack({
      resources: {
        Secret: { Type: 'AWS::SecretsManager::Secret', Properties: { SecretString: '{"a":"ä"}' } },
      },
      outputs: { SecretArn: ref('Secret') },
    });
  });
  afterAll(() => stack?.stop());

  test('is read as its text', async () => {
    expect(await createSecretReader(stack.secrets)(stack.run.outputs.SecretArn ?? '')).toBe('{"a":"ä"}');
  });
});

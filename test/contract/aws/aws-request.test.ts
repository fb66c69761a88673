import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { CreateQueueCommand, ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import {
  AwsError,
  type AwsRequest,
  createAwsOpener,
  createAwsSender,
} from '../../../shared/aws/aws-request.ts';
import { createSecretReader } from '../../../shared/aws/partner-secret.ts';
import { createSummaryQueue } from '../../../shared/aws/received-summaries.ts';
import { clientSettings, ref, type StartedStack, startStack } from '../local/fixture.ts';

const request: AwsRequest = {
  service: 'sqs',
  method: 'POST',
  path: '/',
  headers: { 'X-Amz-Target': 'AmazonSQS.SendMessage' },
  body: Buffer.from('{}'),
};
const credentials = { accessKeyId: 'key', secretAccessKey: 'secret' };

type Answer = readonly [status: number, body: string] | 'cut' | 'none' | 'slow';

/** Milliseconds after which the impatient give up, and milliseconds that a slow body takes. */
const IMPATIENT_MS = 50;
const SLOW_MS = 100;

let server: Server;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

/** A service with these answers in order; the last one repeats. `seen` counts the requests. */
async function serviceWith(...answers: Answer[]) {
  const seen = { requests: 0 };
  server = createServer((_, response) => {
    const answer = answers[Math.min(seen.requests, answers.length - 1)];
    seen.requests += 1;
    if (answer === 'cut') response.destroy();
    else if (answer === 'slow') {
      response.write('do');
      setTimeout(() => response.end('ne'), SLOW_MS);
    } else if (Array.isArray(answer)) response.writeHead(answer[0]).end(answer[1]);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const clock = { sleep: async () => {} };
  const options = { endpoint, region: 'eu-central-1', credentials, clock };
  const impatient = { ...options, timeoutMs: IMPATIENT_MS };
  return {
    seen,
    send: createAwsSender(options),
    impatient: createAwsSender(impatient),
    open: createAwsOpener(impatient),
  };
}

const refusal = (type: string) => `{"__type":"com.amazonaws.sqs#${type}","message":"no"}`;

describe('a request to AWS', () => {
  test.each<[string, Answer]>([
    ['an error of the service', [503, '']],
    ['a cut connection', 'cut'],
    ['throttling', [400, refusal('ThrottlingException')]],
    ['too many requests', [429, '']],
    ['a body that did not reach S3 in time', [400, '<Error><Code>RequestTimeout</Code></Error>']],
  ])('is sent again after %s', async (_, failure) => {
    const { send, seen } = await serviceWith(failure, failure, [200, 'done']);
    expect(String(await send(request))).toBe('done');
    expect(seen.requests).toBe(3);
  });

  test('fails with the error of the fourth attempt', async () => {
    const { send, seen } = await serviceWith([500, refusal('InternalFailure')]);
    await expect(send(request)).rejects.toMatchObject({ name: 'InternalFailure', status: 500 });
    expect(seen.requests).toBe(4);
  });

  test.each([
    ['JSON', refusal('AccessDeniedException'), 'AccessDeniedException'],
    ['XML', '<Error><Code>AccessDenied</Code></Error>', 'AccessDenied'],
    ['another form', 'no', 'UnknownError'],
  ])('that is refused in %s fails at once, with the name of the error', async (_, body, name) => {
    const { send, seen } = await serviceWith([403, body]);
    const error = await send(request).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(AwsError);
    expect(error).toMatchObject({ name, status: 403 });
    expect(seen.requests).toBe(1);
  });

  test('that is not answered in time is sent again', async () => {
    const { impatient, seen } = await serviceWith('none', [200, 'done']);
    expect(String(await impatient(request))).toBe('done');
    expect(seen.requests).toBe(2);
  });
});

test('a time limit is for the whole answer, unless the answer is opened as a stream', async () => {
  const { impatient, open, seen } = await serviceWith('slow');
  await expect(impatient(request)).rejects.toThrow();
  expect(seen.requests).toBe(4);
  expect(await text(await open(request))).toBe('done');
});

describe('a signed request', () => {
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

  test('reads a secret', async () => {
    const read = createSecretReader(createAwsSender(clientSettings(stack.run)));
    expect(await read(stack.run.outputs.SecretArn ?? '')).toBe('{"a":"ä"}');
  });

  test('sends a message', async () => {
    const { QueueUrl = '' } = await stack.sqs.send(new CreateQueueCommand({ QueueName: 'summaries' }));
    const summary = { body: '{"message":"ä\uFFFE\uFFFF"}', receivedAt: '2026-11-21T08:00:00.000Z' };
    await createSummaryQueue(createAwsSender(clientSettings(stack.run)), QueueUrl).send(summary);
    const { Messages = [] } = await stack.sqs.send(
      new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 5 }),
    );
    expect(Messages.map(({ Body = '' }) => JSON.parse(Body))).toEqual([summary]);
  });

  test('with a wrong key is refused', async () => {
    const settings = clientSettings(stack.run, { accessKeyId: 'unknown', secretAccessKey: 'wrong' });
    await expect(createSecretReader(createAwsSender(settings))('partner')).rejects.toBeInstanceOf(AwsError);
  });
});

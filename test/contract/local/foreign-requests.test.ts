import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { Sha256 } from '@aws-crypto/sha256-js';
import { GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { SignatureV4 } from '@smithy/signature-v4';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startDynalite } from '../../../local/aws/services/dynalite.ts';
import { startFauxqs } from '../../../local/aws/services/fauxqs.ts';
import { clientSettings, type StartedStack, startStack } from './fixture.ts';

interface Sent {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** `fetch` would not let a test name the host. */
async function send(url: string, { method, headers, body }: Sent) {
  return new Promise<{ status: number | undefined; headers: IncomingHttpHeaders; body: string }>(
    (resolve, reject) => {
      const sent = request(url, { method, headers, agent: false }, (answer) => {
        const { statusCode: status, headers: received } = answer;
        text(answer).then((whole) => resolve({ status, headers: received, body: whole }), reject);
      });
      sent.on('error', reject).end(body);
    },
  );
}

let stack: StartedStack;
beforeAll(async () => {
  stack = await startStack({
    resources: {
      Secret: {
        Type: 'AWS::SecretsManager::Secret',
        Properties: { Name: 'partner', SecretString: 'keep-me' },
      },
      Imports: { Type: 'AWS::S3::Bucket', Properties: { BucketName: 'imports' } },
    },
  });
});
afterAll(() => stack.stop());

/** A call that any page could make: everybody knows the administrator's credentials. */
async function getSecretAs(headers: Readonly<Record<string, string>>) {
  const { endpoint, region, adminCredentials: credentials } = stack.run;
  const body = JSON.stringify({ SecretId: 'partner' });
  const signer = new SignatureV4({ credentials, region, service: 'secretsmanager', sha256: Sha256 });
  const signed = await signer.sign({
    method: 'POST',
    protocol: 'http:',
    hostname: '127.0.0.1',
    path: '/',
    headers: {
      host: new URL(endpoint).host,
      'content-type': 'application/x-amz-json-1.1',
      'x-amz-target': 'secretsmanager.GetSecretValue',
      ...headers,
    },
    body,
  });
  return send(endpoint, { method: 'POST', headers: signed.headers, body });
}

describe('the local AWS', () => {
  test.each([
    ['under a name of its own (DNS rebinding)', { host: 'evil.example:4566' }, 'HOST_REFUSED'],
    ['with its origin', { origin: 'http://evil.example' }, 'ORIGIN_REFUSED'],
    ['from its form', { 'sec-fetch-site': 'cross-site' }, 'ORIGIN_REFUSED'],
  ])('gives no secret to a page of another site, %s', async (_, headers: Record<string, string>, code) => {
    const { status, headers: answered, body } = await getSecretAs(headers);
    expect([status, answered['x-amzn-errortype']]).toEqual([403, code]);
    expect(body).toMatch(/only/);
    expect(body).not.toContain('keep-me');
  });

  test.each(['127.0.0.1:4566', 'localhost:4566', '[::1]:4566', 'localhost'])(
    'answers a program that calls it %s',
    async (host) => {
      const { status, body } = await getSecretAs({ host });
      expect([status, JSON.parse(body).SecretString]).toEqual([200, 'keep-me']);
    },
  );

  test('takes the host names that an SDK makes of the buckets of an endpoint at localhost', async () => {
    const hosts: string[] = [];
    // Not every resolver knows the names below localhost.
    const agent = new Agent({
      lookup: (host, _options, done) => {
        hosts.push(host);
        done(null, [{ address: '127.0.0.1', family: 4 }]);
      },
    });
    const endpoint = stack.run.endpoint.replace('127.0.0.1', 'localhost');
    const s3 = new S3Client({
      ...clientSettings(stack.run),
      endpoint,
      requestHandler: { httpAgent: agent },
    });
    await s3.send(new PutObjectCommand({ Bucket: 'imports', Key: 'stock/a b.csv', Body: 'sku,stock' }));
    const { Body } = await s3.send(new GetObjectCommand({ Bucket: 'imports', Key: 'stock/a b.csv' }));
    s3.destroy();
    expect(await Body?.transformToString()).toBe('sku,stock');
    expect(new Set(hosts)).toEqual(new Set(['imports.localhost']));
  });
});

describe.each([
  ['tables', startDynalite],
  ['queues and objects', startFauxqs],
])('the server of %s behind the local AWS, which checks no signature', (_, start) => {
  test.each([
    ['under a name of its own', { host: 'evil.example' }],
    ['with its origin', { origin: 'http://evil.example' }],
  ])('refuses a page of another site, %s', async (__, headers) => {
    const server = await start(undefined);
    const { status, body } = await send(server.url, { method: 'POST', headers, body: '{}' });
    await server.stop();
    expect([status, body]).toEqual([403, expect.stringContaining('only')]);
  });
});

import { once } from 'node:events';
import { connect } from 'node:net';
import { Sha256 } from '@aws-crypto/sha256-js';
import { SignatureV4 } from '@smithy/signature-v4';
import { request as send } from 'undici';
import { afterEach, describe, expect, test } from 'vitest';
import { type HttpApiOptions, startHttpApi } from '../../../../local/aws/http-api/server.ts';
import type { LoopbackServer } from '../../../../local/aws/loopback-server.ts';
import type { HttpRoute, InvocationResult } from '../../../../local/aws/model.ts';

const NOW = Date.UTC(2026, 10, 21, 12);
const credentials = { accessKeyId: 'ASIA1', secretAccessKey: 'secret', sessionToken: 'session' };
const principal = {
  kind: 'role',
  arn: 'arn:aws:iam::000000000000:role/operator',
  sessionArn: 'arn:aws:sts::000000000000:assumed-role/operator/s',
  userId: 'AROA:s',
} as const;

interface Invocation {
  functionName: string;
  event: Record<string, unknown>;
  sourceArn: string;
}

let api: LoopbackServer | undefined;
afterEach(async () => {
  await api?.stop();
  api = undefined;
});

function route(routeKey: string, authorization: HttpRoute['authorization'], timeoutMs = 30_000): HttpRoute {
  const [method = '', path = ''] = routeKey.split(' ');
  return { method, path, routeKey, authorization, functionName: `of ${path}`, timeoutMs };
}

const ROUTES = [
  route('POST /webhooks/marketplace', 'NONE'),
  route('GET /stores/{storeClientId}', 'AWS_IAM'),
  route('ANY /stores/{storeClientId}/{path+}', 'AWS_IAM'),
];

/** An API whose functions answer with their event, unless `answer` is given. */
async function start(
  options: Partial<Omit<HttpApiOptions, 'invoke'>> & { answer?: () => Promise<InvocationResult> } = {},
) {
  const invocations: Invocation[] = [];
  const lines: string[] = [];
  const { answer, ...rest } = options;
  api = await startHttpApi({
    port: 0,
    routes: ROUTES,
    region: 'us-east-1',
    accountId: '000000000000',
    apiId: 'api1',
    clock: { now: () => NOW },
    lookupCredentials: (id) => (id === credentials.accessKeyId ? { credentials, principal } : undefined),
    authorize: () => ({ allowed: true }),
    invoke: async (route, event, sourceArn) => {
      invocations.push({ functionName: route.functionName, event: event as Invocation['event'], sourceArn });
      return answer === undefined ? { ok: true, payload: event } : answer();
    },
    log: (line) => lines.push(line.message),
    ...rest,
  });
  return { url: api.url, invocations, lines };
}

interface Call {
  method?: string;
  body?: string | Buffer;
  headers?: Record<string, string>;
  service?: string;
}

async function call(url: string, { method = 'GET', body, headers = {} }: Call = {}) {
  const answer = await send(url, {
    method: method as 'GET',
    headers,
    ...(body === undefined ? {} : { body }),
  });
  return { status: answer.statusCode, headers: answer.headers, text: await answer.body.text() };
}

/** Signs a request as an AWS SDK or `curl --aws-sigv4` does. */
async function signedCall(url: string, options: Call = {}) {
  const { host, hostname, pathname, searchParams } = new URL(url);
  const signer = new SignatureV4({
    credentials,
    region: 'us-east-1',
    service: options.service ?? 'execute-api',
    sha256: Sha256,
  });
  const { headers } = await signer.sign(
    {
      method: options.method ?? 'GET',
      protocol: 'http:',
      hostname,
      path: pathname,
      query: Object.fromEntries(searchParams),
      headers: { host, ...options.headers },
      body: options.body,
    },
    { signingDate: new Date(NOW) },
  );
  return call(url, { ...options, headers });
}

describe('a page of another site', () => {
  test.each([
    ['under a name of its own (DNS rebinding)', { host: 'evil.example' }],
    ['with its origin', { origin: 'http://evil.example' }],
    ['without its origin', { 'sec-fetch-site': 'cross-site' }],
  ])('gets nothing %s, even with the credentials of the local run', async (_, headers) => {
    const { url, invocations, lines } = await start();
    const answer = await signedCall(`${url}/stores/store-0wh`, { headers });
    expect([answer.status, answer.text, invocations]).toEqual([403, '{"message":"Forbidden"}', []]);
    expect(lines).toEqual([expect.stringMatching(/^GET \/stores\/store-0wh: 403: .* (host|browser)/)]);
  });

  test('may lead to the public routes, as the redirect after an onboarding and a tunnel for webhooks do', async () => {
    const { url } = await start();
    const headers = { host: 'abc.tunnel.example', 'sec-fetch-site': 'cross-site' };
    const answer = await call(`${url}/webhooks/marketplace`, { method: 'POST', body: '{}', headers });
    expect(answer.status).toBe(200);
  });
});

describe('a public route', () => {
  test('passes the body unchanged to its function and answers with the result', async () => {
    const { url, invocations } = await start({
      answer: async () => ({
        ok: true,
        payload: { statusCode: 202, headers: { 'x-a': 'b' }, body: 'taken' },
      }),
    });
    const body = '{ "batchId" : "ü" }';
    const headers = { 'content-type': 'application/json', 'X-Signature': 'abc' };
    const answer = await call(`${url}/webhooks/marketplace?try=1`, { method: 'POST', body, headers });
    expect(answer).toMatchObject({ status: 202, text: 'taken', headers: { 'x-a': 'b' } });
    expect(invocations).toMatchObject([
      {
        functionName: 'of /webhooks/marketplace',
        sourceArn: 'arn:aws:execute-api:us-east-1:000000000000:api1/$default/POST/webhooks/marketplace',
        event: { body, isBase64Encoded: false, rawQueryString: 'try=1', headers: { 'x-signature': 'abc' } },
      },
    ]);
  });

  test('answers HEAD without a body', async () => {
    const { url } = await start({ routes: [route('ANY /{path+}', 'NONE')] });
    expect(await call(`${url}/a`, { method: 'HEAD' })).toMatchObject({ status: 200, text: '' });
  });
});

describe('a route with IAM authorization', () => {
  const target = '/stores/store%20a%2Fb?since=2026-11-21T00%3A00%3A00Z&a=%2B';

  test('accepts a signed request and passes the signer to the function', async () => {
    const { url, invocations } = await start();
    const answer = await signedCall(url + target, {
      method: 'PUT',
      body: '{}',
      headers: { 'content-type': 'application/json' },
    });
    expect(answer.status).toBe(200);
    expect(invocations[0]).toMatchObject({
      event: {
        body: '{}',
        requestContext: { authorizer: { iam: { accessKey: 'ASIA1', userArn: principal.sessionArn } } },
      },
    });
  });

  test('decodes the path before it matches, so an encoded slash separates segments', async () => {
    const { url, invocations } = await start();
    await signedCall(url + target);
    expect(invocations[0]).toMatchObject({
      sourceArn: expect.stringMatching(/\$default\/GET\/stores\/\{storeClientId\}\/\{path\+\}$/),
      event: {
        rawPath: '/stores/store a/b',
        pathParameters: { storeClientId: 'store a', path: 'b' },
        queryStringParameters: { since: '2026-11-21T00:00:00Z', a: '+' },
      },
    });
  });

  test('requires execute-api:Invoke on the exact method and path', async () => {
    const asked: unknown[] = [];
    const { url, invocations, lines } = await start({
      authorize: (...question) => {
        asked.push(question);
        return { allowed: false, reason: 'no statement allows it' };
      },
    });
    expect(await signedCall(`${url}/stores/s-1`)).toMatchObject({
      status: 403,
      text: '{"message":"Forbidden"}',
    });
    expect(asked).toEqual([
      [
        principal,
        'execute-api:Invoke',
        'arn:aws:execute-api:us-east-1:000000000000:api1/$default/GET/stores/s-1',
      ],
    ]);
    expect(invocations).toEqual([]);
    expect(lines).toEqual([expect.stringContaining('no statement allows it')]);
  });

  test('refuses a request that is unsigned, signed for another service, or changed after signing', async () => {
    const { url, invocations } = await start();
    const forbidden = { status: 403, text: '{"message":"Forbidden"}' };
    expect(await call(`${url}/stores/s-1`)).toMatchObject(forbidden);
    expect(await signedCall(`${url}/stores/s-1`, { service: 'sqs' })).toMatchObject(forbidden);
    expect(
      await signedCall(`${url}/stores/s-1`, { headers: { 'x-amz-content-sha256': '0'.repeat(64) } }),
    ).toMatchObject(forbidden);
    expect(invocations).toEqual([]);
  });
});

describe('the HTTP API answers', () => {
  test('404 to a path or method without a route', async () => {
    const { url } = await start();
    const notFound = { status: 404, text: '{"message":"Not Found"}' };
    expect(await call(`${url}/elsewhere`)).toMatchObject(notFound);
    expect(await call(`${url}/webhooks/marketplace`)).toMatchObject(notFound);
  });

  test('400 to malformed percent-encoding', async () => {
    const { url } = await start();
    expect(await call(`${url}/stores/%E0%A4%A`)).toMatchObject({ status: 400 });
  });

  test('413 to a body above 10 MB, and the connection stays usable', async () => {
    const { url, invocations } = await start();
    const body = Buffer.alloc(10 * 1024 * 1024 + 1);
    const tooLarge = await call(`${url}/webhooks/marketplace`, { method: 'POST', body });
    expect(tooLarge).toMatchObject({ status: 413, text: '{"message":"Request Entity Too Large"}' });
    expect(await call(`${url}/webhooks/marketplace`, { method: 'POST', body: '{}' })).toMatchObject({
      status: 200,
    });
    expect(invocations).toHaveLength(1);
  });

  test('429 above the throttling settings', async () => {
    const { url } = await start({ throttling: { requestsPerSecond: 1, burst: 2 } });
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 3; attempt += 1) {
      statuses.push((await call(`${url}/webhooks/marketplace`, { method: 'POST' })).status);
    }
    expect(statuses).toEqual([200, 200, 429]);
  });

  test('429 beyond the throttling of a route, while other routes answer', async () => {
    const throttling = { requestsPerSecond: 0.001, burst: 1 };
    const { url } = await start({
      routes: [
        { ...route('POST /webhooks/marketplace', 'NONE'), throttling },
        route('GET /onboarding/callback', 'NONE'),
      ],
      throttling,
    });
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 2; attempt += 1) {
      statuses.push((await call(`${url}/webhooks/marketplace`, { method: 'POST' })).status);
    }
    statuses.push((await call(`${url}/onboarding/callback`)).status);
    expect(statuses).toEqual([200, 429, 200]);
  });

  test.each([
    ['500 when the function fails', 'TypeError', 500],
    ['503 when the function is throttled', 'TooManyRequestsException', 503],
    ['413 when the event is too large for the function', 'RequestEntityTooLargeException', 413],
  ])('%s, without the reason', async (_what, errorType, status) => {
    const { url, lines } = await start({
      answer: async () => ({ ok: false, errorType, errorMessage: 'the reason' }),
    });
    const answer = await call(`${url}/webhooks/marketplace`, { method: 'POST' });
    expect(answer.status).toBe(status);
    expect(answer.text).not.toContain('the reason');
    expect(lines).toEqual([expect.stringContaining('the reason')]);
  });

  test('500 when the function returns no valid response', async () => {
    const { url } = await start({ answer: async () => ({ ok: true, payload: { statusCode: 'fine' } }) });
    expect(await call(`${url}/webhooks/marketplace`, { method: 'POST' })).toMatchObject({ status: 500 });
  });

  test('500 when the function can not be invoked', async () => {
    const { url, lines } = await start({ answer: () => Promise.reject(new Error('no such function')) });
    expect(await call(`${url}/webhooks/marketplace`, { method: 'POST' })).toMatchObject({ status: 500 });
    expect(lines).toEqual([expect.stringContaining('no such function')]);
  });

  test('a caller that disconnects in the middle of its request affects no other caller', async () => {
    const { url, invocations } = await start();
    const { port } = new URL(url);
    const socket = connect(Number(port), '127.0.0.1');
    socket.write('POST /webhooks/marketplace HTTP/1.1\r\nhost: h\r\ncontent-length: 100\r\n\r\nhalf');
    await once(socket, 'connect');
    socket.destroy();
    expect(await call(`${url}/webhooks/marketplace`, { method: 'POST' })).toMatchObject({ status: 200 });
    expect(invocations).toHaveLength(1);
  });

  test('503 when the function takes longer than the integration timeout', async () => {
    const { url } = await start({
      routes: [route('GET /slow', 'NONE', 30)],
      answer: () => new Promise(() => {}),
    });
    expect(await call(`${url}/slow`)).toMatchObject({
      status: 503,
      text: '{"message":"Service Unavailable"}',
    });
  });
});

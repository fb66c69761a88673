import { type IncomingHttpHeaders, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createApiClient } from '../../../../cli/clients/api-client.ts';
import { createAwsClients } from '../../../../cli/clients/aws-clients.ts';
import { type RunningConsole, startConsole } from '../../../../cli/console/start-console.ts';
import type { Target } from '../../../../cli/target/target.ts';

/** Nothing answers there: what these tests look at happens before a call. */
const target: Target = {
  name: 'nowhere',
  isLocal: false,
  region: 'us-east-1',
  credentials: { accessKeyId: 'AKIANOTSHOWN', secretAccessKey: 'secret-not-shown' },
  endpoint: 'http://127.0.0.1:1',
  options: [],
  outputs: { ApiUrl: 'http://127.0.0.1:1', ChangesDeadLettersArn: 'arn:aws:sqs:us-east-1:1:Dead' },
};

interface Call {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

interface Answer {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** `fetch` would not let a test name the host. */
async function ask(url: string, { method = 'GET', headers = {}, body }: Call = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, agent: false }, (answer) => {
      text(answer).then(
        (received) => resolve({ status: answer.statusCode, headers: answer.headers, body: received }),
        reject,
      );
    });
    sent.on('error', reject).end(body);
  });
}

async function start(canWrite: boolean): Promise<RunningConsole> {
  return startConsole({ target, api: createApiClient(target), aws: createAwsClients(target), canWrite });
}

async function cookieOf({ url }: RunningConsole): Promise<string> {
  const { headers } = await ask(url);
  return headers['set-cookie']?.[0]?.split(';')[0] ?? '';
}

let reading: RunningConsole;
let writing: RunningConsole;
let cookie: string;
let writingCookie: string;

beforeAll(async () => {
  [reading, writing] = await Promise.all([start(false), start(true)]);
  [cookie, writingCookie] = await Promise.all([cookieOf(reading), cookieOf(writing)]);
});
afterAll(async () => {
  await reading[Symbol.asyncDispose]();
  await writing[Symbol.asyncDispose]();
});

/** A call as the page makes it. */
const post = (path: string, { headers = {}, ...call }: Call = {}) =>
  ask(`${writing.origin}${path}`, {
    method: 'POST',
    headers: {
      cookie: writingCookie,
      origin: writing.origin,
      'content-type': 'application/json',
      ...headers,
    },
    body: '{}',
    ...call,
  });

describe('the address of a console', () => {
  test('listens on this machine only, and works once', async () => {
    const console = await start(false);
    expect(console.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/open\?token=[\w-]{43}$/);
    const first = await ask(console.url);
    expect([first.status, first.headers.location]).toEqual([303, '/']);
    const again = await ask(console.url);
    expect([again.status, again.headers['set-cookie']]).toEqual([401, undefined]);
    await console[Symbol.asyncDispose]();
  });

  test('gives a cookie that scripts cannot read and other sites cannot send', async () => {
    const console = await start(false);
    const { headers } = await ask(console.url);
    const port = new URL(console.origin).port;
    expect(headers['set-cookie']).toEqual([
      expect.stringMatching(
        new RegExp(`^connector-console-${port}=[\\w-]{43}; Path=/; HttpOnly; SameSite=Strict$`),
      ),
    ]);
    await console[Symbol.asyncDispose]();
  });

  test('leads back to the page in the browser that has used it', async () => {
    expect(await ask(reading.url, { headers: { cookie } })).toMatchObject({ status: 303 });
  });
});

describe('a console', () => {
  test.each(['/', '/main.js', '/state', '/api/stores', '/dead-letters/Changes', '/events', '/nothing'])(
    'answers %s only with its cookie',
    async (path) => {
      const none = await ask(`${reading.origin}${path}`);
      const wrong = await ask(`${reading.origin}${path}`, { headers: { cookie: `${cookie}x` } });
      const other = await ask(`${reading.origin}${path}`, { headers: { cookie: writingCookie } });
      expect([none.status, wrong.status, other.status]).toEqual([401, 401, 401]);
    },
  );

  test('answers a browser without its cookie with a page that says what to do, and with nothing of the stack', async () => {
    const { status, body } = await ask(`${reading.origin}/`);
    expect([status, body]).toEqual([
      401,
      expect.stringContaining('Open the address that the console printed'),
    ]);
    expect(body).not.toContain('nowhere');
    const styles = await Promise.all(
      ['/frame.css', '/content.css', '/icon.svg'].map((path) => ask(`${reading.origin}${path}`)),
    );
    expect(styles.map((one) => one.status)).toEqual([200, 200, 200]);
  });

  test('takes the token of a store alone, and does not repeat it', async () => {
    const both = await post('/stores/s/token', { body: '{"storeToken":"t-1","names":{"products":"id"}}' });
    expect(both).toMatchObject({ status: 400, body: expect.stringContaining('names') });
    const alone = await post('/stores/s/token', { body: '{"storeToken":"token-not-shown"}' });
    expect(alone).toMatchObject({ status: 502, body: expect.stringContaining('UNREACHABLE') });
    expect(both.body + alone.body).not.toMatch(/t-1|token-not-shown/);
  });

  test('serves its page with a policy that allows its own files only', async () => {
    const { status, headers, body } = await ask(`${reading.origin}/`, { headers: { cookie } });
    expect(status).toBe(200);
    expect(body).toContain('<!doctype html>');
    expect(headers).toMatchObject({
      'content-security-policy': expect.stringMatching(
        /^default-src 'none'; script-src 'self'; style-src 'self';/,
      ),
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
    });
    expect(headers['content-security-policy']).not.toContain('unsafe');
  });

  test.each(['localhost', 'console.example', '127.0.0.1'])(
    'refuses a request that names the host %s: the name of another page may lead here',
    async (host) => {
      const named = host === 'localhost' ? `localhost:${new URL(reading.origin).port}` : host;
      expect(await ask(`${reading.origin}/state`, { headers: { cookie, host: named } })).toMatchObject({
        status: 403,
        body: expect.stringContaining('HOST_REFUSED'),
      });
    },
  );

  test.each([
    ['another origin', { origin: 'http://127.0.0.1:1' }],
    ['a site of the same machine', { 'sec-fetch-site': 'same-site' }],
    ['another site', { 'sec-fetch-site': 'cross-site' }],
  ])('refuses to be read by %s', async (_, headers: Record<string, string>) => {
    expect(await ask(`${reading.origin}/state`, { headers: { cookie, ...headers } })).toMatchObject({
      status: 403,
      body: expect.stringContaining('ORIGIN_REFUSED'),
    });
  });

  test.each([
    ['no origin', { origin: '' }],
    ['another origin', { origin: 'http://127.0.0.1:1' }],
    ['an opaque origin', { origin: 'null' }],
    ['another site', { 'sec-fetch-site': 'cross-site' }],
  ])('refuses a change from %s', async (_, headers: Record<string, string>) => {
    expect(await post('/events', { headers })).toMatchObject({
      status: 403,
      body: expect.stringContaining('ORIGIN_REFUSED'),
    });
  });

  test('refuses a change in the form that any page can post', async () => {
    expect(await post('/events', { headers: { 'content-type': 'text/plain' } })).toMatchObject({
      status: 415,
    });
  });

  test('refuses a body of more than 1 MiB', async () => {
    expect(await post('/events', { body: 'x'.repeat(1024 * 1024 + 1) })).toMatchObject({ status: 413 });
  });

  test.each([
    '/events',
    '/events/listen',
    '/dead-letters/Changes/redrive',
    '/stores/store-0wh/token',
    '/api/batches/b/resolve',
    '/sandbox/faults',
  ])('refuses POST %s without --write', async (path) => {
    const headers = { cookie, origin: reading.origin, 'content-type': 'application/json' };
    expect(await ask(`${reading.origin}${path}`, { method: 'POST', headers, body: '{}' })).toMatchObject({
      status: 400,
      body: expect.stringContaining('READ_ONLY'),
    });
  });

  test('passes on what is on the list, and nothing else', async () => {
    expect(await post('/api/batches/b/read-back')).toMatchObject({
      status: 502,
      body: expect.stringContaining('UNREACHABLE'),
    });
    expect(await post('/api/stores/s/unbind')).toMatchObject({
      status: 400,
      body: expect.stringContaining('does not pass on'),
    });
  });

  test.each(['/../package.json', '/%2e%2e/app.ts', '/..%2fapp.ts', '/%2e%2e%2fapp.ts'])(
    'serves no file outside of its folder: %s',
    async (path) => {
      const { status, body } = await ask(`${reading.origin}${path}`, { headers: { cookie } });
      expect([status === 200, body.includes('createApp')]).toEqual([false, false]);
    },
  );

  test('shows why the stack cannot be read, without credentials', async () => {
    const { status, body } = await ask(`${reading.origin}/state`, { headers: { cookie } });
    expect([status, JSON.parse(body)]).toMatchObject([
      200,
      { target: 'nowhere', canWrite: false, attention: [], error: { code: 'UNREACHABLE' } },
    ]);
    expect(body).not.toMatch(/AKIANOTSHOWN|secret-not-shown|token/i);
  });
});

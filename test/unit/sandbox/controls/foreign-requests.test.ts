import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { useSandbox } from '../sandbox.ts';

const sandbox = useSandbox();
const JSON_TYPE = { 'content-type': 'application/json' };

/** `fetch` would not let a test name the host. */
async function ask(path: string, headers: Record<string, string>, method = 'GET', body?: string) {
  return new Promise<{ status: number | undefined; body: string }>((resolve, reject) => {
    const sent = request(`${sandbox.url}${path}`, { method, headers, agent: false }, (answer) => {
      text(answer).then((whole) => resolve({ status: answer.statusCode, body: whole }), reject);
    });
    sent.on('error', reject).end(body);
  });
}

describe('the sandbox', () => {
  test.each(['/sandbox', '/sandbox/page/state', '/openapi.json', '/api/v1/partner/stores/warehouses', '/'])(
    'answers %s to no page that leads here by DNS rebinding',
    async (path) => {
      const { status, body } = await ask(path, { host: 'evil.example:4568' });
      expect([status, JSON.parse(body).error.code]).toEqual([403, 'HOST_REFUSED']);
    },
  );

  test.each([
    ['the form of another site', { ...JSON_TYPE, origin: 'http://evil.example' }, 403, 'ORIGIN_REFUSED'],
    ['a page in a frame without an origin', { ...JSON_TYPE, origin: 'null' }, 403, 'ORIGIN_REFUSED'],
    ['another site', { ...JSON_TYPE, 'sec-fetch-site': 'cross-site' }, 403, 'ORIGIN_REFUSED'],
    ['a form that names no origin', { 'content-type': 'text/plain' }, 415, 'CONTENT_TYPE_REFUSED'],
    ['a body without a type', {}, 415, 'CONTENT_TYPE_REFUSED'],
  ])('takes no control from %s', async (_, headers: Record<string, string>, expected, code) => {
    const fault = JSON.stringify({ fault: { status: 503 } });
    const { status, body } = await ask('/sandbox/faults', headers, 'POST', fault);
    expect([status, JSON.parse(body).error.code]).toEqual([expected, code]);
    expect((await sandbox.control('GET /page/state')).json.faults).toEqual([]);
  });

  test.each([
    ['its own page', (host: string) => ({ host, origin: `http://${host}`, 'sec-fetch-site': 'same-origin' })],
    ['a program', (host: string) => ({ host })],
  ])('takes controls from %s under each name of this machine', async (_, headersOf) => {
    const { port } = new URL(sandbox.url);
    for (const name of ['127.0.0.1', 'localhost', '[::1]']) {
      const headers = { ...JSON_TYPE, ...headersOf(`${name}:${port}`) };
      expect((await ask('/sandbox/clock', headers, 'PUT', '{"offsetMs":0}')).status).toBe(200);
    }
  });
});

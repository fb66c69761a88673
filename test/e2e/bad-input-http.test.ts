import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ConnectorRun } from '../../local/run/connector-run.ts';
import { startQuickRun } from '../../local/run/quick-run.ts';
import { describedRoutes } from '../../tools/describe/documents.ts';
import { type RawRequest, sendSigned, sendUnsigned } from './support/raw-request.ts';
import { fillPath, routeSamples } from './support/route-samples.ts';

const routes = describedRoutes().map(({ key, description }) => ({
  key,
  method: key.split(' ')[0] ?? '',
  takesBody: description.body !== undefined,
  sample: routeSamples[key] ?? {},
}));
const withBody = routes.filter(({ takesBody }) => takesBody);
// `fetch` sends no body with GET.
const withoutBody = routes.filter(({ method, takesBody }) => !takesBody && method !== 'GET');
const needFields = withBody.filter(({ sample }) => Object.keys(sample.body ?? {}).length > 0);
const belowStore = routes.filter(({ key }) => key.includes('{storeClientId}'));

type RouteCase = (typeof routes)[number];

let run: ConnectorRun;
let requestsBefore: number;

beforeAll(async () => {
  run = await startQuickRun();
  requestsBefore = await countRequests();
});

afterAll(async () => {
  await run?.[Symbol.asyncDispose]();
});

async function countRequests(): Promise<number> {
  return (await run.controls?.requests())?.requests.length ?? 0;
}

/** A valid request of a route for a connected store, except for `changed`. */
function requestOf(
  { key, method, sample }: RouteCase,
  changed: Partial<RawRequest> & { storeClientId?: string } = {},
): RawRequest {
  const { storeClientId = 'store-0wh', ...others } = changed;
  const path = fillPath(key, { storeClientId, ...sample.path });
  return {
    method,
    path: sample.query === undefined ? path : `${path}?${sample.query}`,
    ...(sample.body === undefined ? {} : { body: JSON.stringify(sample.body) }),
    ...others,
  };
}

async function expectRefusal(request: RawRequest, status: number, code: string): Promise<void> {
  const answer = await sendSigned(run.local, request);
  expect({ status: answer.status, body: JSON.parse(answer.text) }).toEqual({
    status,
    body: {
      error: { code, message: expect.any(String), ...optionalDetails(answer.text) },
      requestId: expect.any(String),
    },
  });
}

function optionalDetails(text: string): object {
  return JSON.parse(text).error?.details === undefined ? {} : { details: expect.any(Object) };
}

describe('a request without a valid IAM signature', () => {
  test.each(routes)('is answered by $key with 403', async (route) => {
    expect((await sendUnsigned(run.local, requestOf(route))).status).toBe(403);
  });

  test.each([
    [
      'a signature by an unknown key',
      { authorization: authorization('AKIAUNKNOWN00000000', '0'.repeat(64)) },
    ],
    ['a wrong signature', { authorization: authorization('local', '0'.repeat(64)) }],
    ['another scheme', { authorization: 'Bearer token' }],
  ])('is answered with 403 for %s', async (_, headers) => {
    expect((await sendUnsigned(run.local, { method: 'GET', path: '/stores' }, headers)).status).toBe(403);
  });
});

describe('a request with an invalid body', () => {
  test('has a valid sample to compare with for every route that takes a body', () => {
    expect(withBody.filter(({ sample }) => sample.body === undefined).map(({ key }) => key)).toEqual([]);
  });

  test.each(withBody)('is answered by $key with 400 when it is not JSON', async (route) => {
    await expectRefusal(requestOf(route, { body: '{"items": [' }), 400, 'BODY_NOT_JSON');
  });

  test.each(withBody)('is answered by $key with 400 when it is JSON of the wrong type', async (route) => {
    for (const body of ['[]', '"text"', '7', 'null', '{"items": 7, "products": 7, "ids": 7, "action": 7}'])
      await expectRefusal(requestOf(route, { body }), 400, 'REQUEST_INVALID');
  });

  test.each(needFields)('is answered by $key with 400 without its fields', async (route) => {
    await expectRefusal(requestOf(route, { body: '{}' }), 400, 'REQUEST_INVALID');
  });

  test.each(withBody)('is answered by $key with 400 for an unknown field', async (route) => {
    const body = JSON.stringify({ ...route.sample.body, colour: 'red' });
    await expectRefusal(requestOf(route, { body }), 400, 'REQUEST_INVALID');
  });

  test.each(withoutBody)('is answered by $key, which takes none, with 400 for a field', async (route) => {
    const body = JSON.stringify({ refresh: true });
    await expectRefusal(requestOf(route, { body }), 400, 'REQUEST_INVALID');
  });

  test.each(withBody)('is answered by $key with 413 when it is too large', async (route) => {
    const body = JSON.stringify({ filling: 'x'.repeat(4_000_000) });
    await expectRefusal(requestOf(route, { body }), 413, 'BODY_TOO_LARGE');
  });

  test.each(withBody)('is answered by $key with 415 for another content type', async (route) => {
    for (const contentType of ['text/plain', 'application/xml', 'multipart/form-data; boundary=x'])
      await expectRefusal(requestOf(route, { contentType }), 415, 'CONTENT_TYPE_UNKNOWN');
    const form = { body: 'items=1', contentType: 'application/x-www-form-urlencoded' };
    await expectRefusal(requestOf(route, form), 415, 'CONTENT_TYPE_UNKNOWN');
  });
});

describe('a request for a store that is not connected', () => {
  // PUT adds a store, and rejections may belong to unknown stores.
  const needStore = belowStore.filter(
    ({ key }) => key !== 'PUT /stores/{storeClientId}' && key !== 'GET /stores/{storeClientId}/rejections',
  );

  test.each(needStore)('is answered by $key with 404', async (route) => {
    for (const storeClientId of ['no-such', 'store-other', "'; drop table stores; --"]) {
      const answer = await sendSigned(run.local, requestOf(route, { storeClientId }));
      expect(answer.status).toBe(404);
      expect(JSON.parse(answer.text)).toMatchObject({ error: { code: expect.any(String) } });
    }
  });

  test.each(belowStore)(
    'is answered by $key with 4xx when the store ID is a path or too long',
    async (route) => {
      for (const storeClientId of ['../stores', '..\\..', '/', '\u0000', 'x'.repeat(500)]) {
        const { status, text } = await sendSigned(run.local, requestOf(route, { storeClientId }));
        const isEmptyList = status === 200 && JSON.parse(text).rejections?.length === 0;
        expect(isEmptyList || (status >= 400 && status < 500), `${status} ${text}`).toBe(true);
      }
    },
  );
});

describe('a request with invalid parameters', () => {
  test.each([
    '/stores?limit=abc',
    '/stores?limit=0',
    '/stores?limit=1001',
    '/batches?state=nonsense',
    '/batches?storeClientId=store-0wh&kind=nonsense',
    '/batches?storeClientId=store-0wh&since=yesterday',
    '/stores/store-0wh/listings?limit=0',
    '/stores/store-0wh/listings?target=name:A',
    // Two bytes each, and three in lower case.
    `/stores/store-0wh/listings?target=id:${encodeURIComponent('Ⱥ'.repeat(510))}`,
    '/stores/store-0wh/orders?limit=0',
    '/stores/store-0wh/orders?orderId=a&invoiceNumber=b',
    '/stores/store-0wh/orders/o-1/documents/receipt',
    '/stores/store-0wh/products/by-sku?sku=A&sku=B',
    `/batches?storeClientId=${'x'.repeat(3_000)}`,
    `/trace?invoiceNumber=${'%E3%81%82'.repeat(400)}&storeClientId=store-0wh`,
    '/brands?q=a',
    '/brands?q=ab&page=-1',
    '/brands?q=ab&colour=red',
  ])('is answered with 400: %s', async (path) => {
    await expectRefusal({ method: 'GET', path }, 400, 'REQUEST_INVALID');
  });

  test.each(['abc', 'eyJhIjoiYiJ9', '%00', 'bnVsbA', 'eyJzdG9yZUNsaWVudElkIjoxZTMwMH0'])(
    'is answered with 400 for the cursor %s',
    async (cursor) => {
      await expectRefusal({ method: 'GET', path: `/stores?cursor=${cursor}` }, 400, 'CURSOR_INVALID');
      const path = `/stores/store-0wh/rejections?cursor=${cursor}`;
      await expectRefusal({ method: 'GET', path }, 400, 'CURSOR_INVALID');
    },
  );

  test.each([
    ['POST', '/stores/store-0wh/orders/..%2f..%2fbrands/documents/invoice'],
    ['POST', '/stores/store-0wh/orders/o%20%00/documents/invoice'],
  ])('is answered with 4xx: %s %s', async (method, path) => {
    const { status } = await sendSigned(run.local, { method, path });
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(500);
  });

  test('is answered with 400 when a product ID is not a UUID', async () => {
    const request = { method: 'PATCH', path: '/stores/store-0wh/products/prices', body: '{"name":"A"}' };
    await expectRefusal(request, 400, 'REQUEST_INVALID');
  });

  test.each([
    ['both identifiers', { orderId: 'o', invoiceNumber: 'i', decision: 'accept' }],
    ['no identifier', { decision: 'accept' }],
    ['another decision', { invoiceNumber: 'i', decision: 'perhaps' }],
    ['a reason with an acceptance', { invoiceNumber: 'i', decision: 'accept', reason: 'r' }],
  ])('is answered with 400 for a decision with %s', async (_, item) => {
    const body = JSON.stringify({ items: [item] });
    const path = '/stores/store-0wh/orders/decisions';
    await expectRefusal({ method: 'POST', path, body }, 400, 'REQUEST_INVALID');
  });
});

describe('a request to a missing route', () => {
  test.each([
    ['GET', '/'],
    ['GET', '/nowhere'],
    ['DELETE', '/stores/store-0wh'],
    ['GET', '/webhooks/marketplace'],
    ['POST', '/stores/store-0wh/orders/decisions/'],
  ])('is answered with 404: %s %s', async (method, path) => {
    expect((await sendSigned(run.local, { method, path })).status).toBe(404);
  });
});

test('no invalid request reaches the marketplace, changes a store or makes a function fail', async () => {
  await run.local.idle();
  const sent = (await run.controls?.requests())?.requests.slice(requestsBefore) ?? [];
  // PUT tries its token at the marketplace before it stores it.
  expect(sent.filter(({ errorCode }) => errorCode !== 'AUTH_014')).toEqual([]);
  const { body } = await run.partner.callApi('GET', '/stores');
  expect(body.stores.map(({ state }: { state: string }) => state)).toEqual(Array(3).fill('connected'));
  const logs = run.local.functions.logs('OperationsApi').map(({ message }) => message);
  expect(logs.filter((line) => line.includes('"ERROR"'))).toEqual([]);
  expect(run.local.accessDenied).toEqual([]);
});

function authorization(accessKeyId: string, signature: string): string {
  const credential = `${accessKeyId}/20261121/us-east-1/execute-api/aws4_request`;
  return `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=host;x-amz-date, Signature=${signature}`;
}

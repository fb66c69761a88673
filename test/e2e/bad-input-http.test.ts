import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { describedRoutes } from '../describe/documents.ts';
import { type ConnectorRun, startConnector } from '../run/connector-run.ts';
import { type RawRequest, sendSigned, sendUnsigned } from './support/raw-request.ts';
import { fillPath, routeSamples } from './support/route-samples.ts';

const routes = describedRoutes().map(({ key, description }) => ({
  key,
  method: key.split(' ')[0] ?? '',
  takesBody: description.body !== undefined,
  sample: routeSamples[key] ?? {},
}));
const withBody = routes.filter(({ takesBody }) => takesBody);
const needFields = withBody.filter(({ sample }) => Object.keys(sample.body ?? {}).length > 0);
const belowStore = routes.filter(({ key }) => key.includes('{storeClientId}'));

type RouteCase = (typeof routes)[number];

let run: ConnectorRun;
let requestsBefore: number;

beforeAll(async () => {
  run = await startConnector();
  requestsBefore = await countRequests();
});

afterAll(async () => {
  await run?.[Symbol.asyncDispose]();
});

async function countRequests(): Promise<number> {
  return (await run.controls?.requests())?.requests.length ?? 0;
}

/** A good request of a route, of a store that is connected, but for what `changed` says. */
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

describe('without an IAM signature', () => {
  test.each(routes)('$key answers 403', async (route) => {
    expect((await sendUnsigned(run.local, requestOf(route))).status).toBe(403);
  });

  test.each([
    ['a signature of somebody else', { authorization: authorization('AKIAUNKNOWN00000000', '0'.repeat(64)) }],
    ['a wrong signature', { authorization: authorization('local', '0'.repeat(64)) }],
    ['another scheme', { authorization: 'Bearer token' }],
  ])('%s answers 403', async (_, headers) => {
    expect((await sendUnsigned(run.local, { method: 'GET', path: '/stores' }, headers)).status).toBe(403);
  });
});

describe('with a body that is none', () => {
  test('every route that takes a body has a good one to compare with', () => {
    expect(withBody.filter(({ sample }) => sample.body === undefined).map(({ key }) => key)).toEqual([]);
  });

  test.each(withBody)('$key answers 400 to what is no JSON', async (route) => {
    await expectRefusal(requestOf(route, { body: '{"items": [' }), 400, 'BODY_NOT_JSON');
  });

  test.each(withBody)('$key answers 400 to JSON of another type', async (route) => {
    for (const body of ['[]', '"text"', '7', 'null', '{"items": 7, "products": 7, "ids": 7, "action": 7}'])
      await expectRefusal(requestOf(route, { body }), 400, 'REQUEST_INVALID');
  });

  test.each(needFields)('$key answers 400 when its fields are missing', async (route) => {
    await expectRefusal(requestOf(route, { body: '{}' }), 400, 'REQUEST_INVALID');
  });

  test.each(withBody)('$key answers 413 to more than it takes', async (route) => {
    const body = JSON.stringify({ filling: 'x'.repeat(4_000_000) });
    await expectRefusal(requestOf(route, { body }), 413, 'BODY_TOO_LARGE');
  });

  test.each(withBody)('$key answers 415 to another content type', async (route) => {
    for (const contentType of ['text/plain', 'application/xml', 'multipart/form-data; boundary=x'])
      await expectRefusal(requestOf(route, { contentType }), 415, 'CONTENT_TYPE_UNKNOWN');
    const form = { body: 'items=1', contentType: 'application/x-www-form-urlencoded' };
    await expectRefusal(requestOf(route, form), 415, 'CONTENT_TYPE_UNKNOWN');
  });
});

describe('with a store that is not connected', () => {
  // A store is made known by PUT, and rejections may be of stores that never were.
  const needStore = belowStore.filter(
    ({ key }) => key !== 'PUT /stores/{storeClientId}' && key !== 'GET /stores/{storeClientId}/rejections',
  );

  test.each(needStore)('$key answers 404', async (route) => {
    for (const storeClientId of ['no-such', 'store-other', "'; drop table stores; --"]) {
      const answer = await sendSigned(run.local, requestOf(route, { storeClientId }));
      expect(answer.status).toBe(404);
      expect(JSON.parse(answer.text)).toMatchObject({ error: { code: expect.any(String) } });
    }
  });

  test.each(belowStore)('$key answers 4xx to a store ID that is a path, or is too long', async (route) => {
    for (const storeClientId of ['../stores', '..\\..', '/', '\u0000', 'x'.repeat(500)]) {
      const { status, text } = await sendSigned(run.local, requestOf(route, { storeClientId }));
      const isEmptyList = status === 200 && JSON.parse(text).rejections?.length === 0;
      expect(isEmptyList || (status >= 400 && status < 500), `${status} ${text}`).toBe(true);
    }
  });
});

describe('with parameters that are none', () => {
  test.each([
    '/stores?limit=abc',
    '/stores?limit=0',
    '/stores?limit=1001',
    '/batches?state=nonsense',
    '/batches?storeClientId=store-0wh&kind=nonsense',
    '/batches?storeClientId=store-0wh&since=yesterday',
    '/stores/store-0wh/listings',
    '/stores/store-0wh/listings?target=name:A',
    '/stores/store-0wh/orders',
    '/stores/store-0wh/orders?orderId=a&invoiceNumber=b',
    '/stores/store-0wh/orders/o-1/documents/receipt',
    '/brands?q=a',
    '/brands?q=ab&page=-1',
    '/brands?q=ab&colour=red',
  ])('%s answers 400', async (path) => {
    await expectRefusal({ method: 'GET', path }, 400, 'REQUEST_INVALID');
  });

  test.each(['abc', 'eyJhIjoiYiJ9', '%00', 'bnVsbA'])('the cursor %s answers 400', async (cursor) => {
    await expectRefusal({ method: 'GET', path: `/stores?cursor=${cursor}` }, 400, 'CURSOR_INVALID');
    const path = `/stores/store-0wh/rejections?cursor=${cursor}`;
    await expectRefusal({ method: 'GET', path }, 400, 'CURSOR_INVALID');
  });

  test.each([
    ['POST', '/stores/store-0wh/orders/..%2f..%2fbrands/documents/invoice'],
    ['POST', '/stores/store-0wh/orders/o%20%00/documents/invoice'],
  ])('%s %s answers 4xx', async (method, path) => {
    const { status } = await sendSigned(run.local, { method, path });
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(500);
  });

  test('a product ID that is no UUID is none of the marketplace’s', async () => {
    const request = { method: 'PATCH', path: '/stores/store-0wh/products/prices', body: '{"name":"A"}' };
    await expectRefusal(request, 400, 'REQUEST_INVALID');
  });

  test.each([
    ['both identifiers', { orderId: 'o', invoiceNumber: 'i', decision: 'accept' }],
    ['no identifier', { decision: 'accept' }],
    ['another decision', { invoiceNumber: 'i', decision: 'perhaps' }],
    ['a reason with an acceptance', { invoiceNumber: 'i', decision: 'accept', reason: 'r' }],
  ])('a decision with %s answers 400', async (_, item) => {
    const body = JSON.stringify({ items: [item] });
    const path = '/stores/store-0wh/orders/decisions';
    await expectRefusal({ method: 'POST', path, body }, 400, 'REQUEST_INVALID');
  });
});

describe('routes that are none', () => {
  test.each([
    ['GET', '/'],
    ['GET', '/nowhere'],
    ['DELETE', '/stores/store-0wh'],
    ['GET', '/webhooks/marketplace'],
    ['POST', '/stores/store-0wh/orders/decisions/'],
  ])('%s %s answers 404', async (method, path) => {
    expect((await sendSigned(run.local, { method, path })).status).toBe(404);
  });
});

test('nothing of all that reached the marketplace, changed a store or broke a function', async () => {
  await run.local.idle();
  const sent = (await run.controls?.requests())?.requests.slice(requestsBefore) ?? [];
  // The token that PUT brings is tried before it is kept.
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

import { describe, expect, test } from 'vitest';
import { type RequestEventInput, requestEvent } from '../../../../local/aws/http-api/request-event.ts';

const input: RequestEventInput = {
  match: {
    route: {
      method: 'POST',
      path: '/stores/{storeClientId}/stock',
      routeKey: 'POST /stores/{storeClientId}/stock',
      authorization: 'AWS_IAM',
      functionName: 'operations-api',
      timeoutMs: 30_000,
    },
    pathParameters: { storeClientId: 'store a' },
  },
  method: 'POST',
  path: '/stores/store a/stock',
  rawQuery: 'a=1&a=2&b=x%20y+z',
  headers: {
    host: ['api-1.local'],
    'content-type': ['application/json; charset=utf-8'],
    'x-repeated': ['one', 'two'],
    cookie: ['a=1; b=2'],
    'user-agent': ['test'],
  },
  body: Buffer.from('{"ä":1}'),
  sourceIp: '127.0.0.1',
  protocol: 'HTTP/1.1',
  requestId: 'r-1',
  accountId: '000000000000',
  apiId: 'api-1',
  time: Date.UTC(2026, 10, 21, 7, 5, 9),
};

test('a request becomes an event of payload format 2.0', () => {
  const principal = {
    kind: 'administrator',
    arn: 'arn:user',
    sessionArn: 'arn:session',
    userId: 'AIDA',
  } as const;
  expect(requestEvent({ ...input, caller: { accessKeyId: 'local', principal } })).toEqual({
    version: '2.0',
    routeKey: 'POST /stores/{storeClientId}/stock',
    rawPath: '/stores/store a/stock',
    rawQueryString: 'a=1&a=2&b=x%20y+z',
    cookies: ['a=1', 'b=2'],
    headers: {
      host: 'api-1.local',
      'content-type': 'application/json; charset=utf-8',
      'x-repeated': 'one,two',
      'user-agent': 'test',
    },
    queryStringParameters: { a: '1,2', b: 'x y z' },
    requestContext: {
      accountId: '000000000000',
      apiId: 'api-1',
      authorizer: {
        iam: {
          accessKey: 'local',
          accountId: '000000000000',
          callerId: 'AIDA',
          cognitoIdentity: null,
          principalOrgId: null,
          userArn: 'arn:session',
          userId: 'AIDA',
        },
      },
      domainName: 'api-1.local',
      domainPrefix: 'api-1',
      http: {
        method: 'POST',
        path: '/stores/store a/stock',
        protocol: 'HTTP/1.1',
        sourceIp: '127.0.0.1',
        userAgent: 'test',
      },
      requestId: 'r-1',
      routeKey: 'POST /stores/{storeClientId}/stock',
      stage: '$default',
      time: '21/Nov/2026:07:05:09 +0000',
      timeEpoch: input.time,
    },
    pathParameters: { storeClientId: 'store a' },
    body: '{"ä":1}',
    isBase64Encoded: false,
  });
});

test('absent parts of a request are left out of the event', () => {
  const event = requestEvent({
    ...input,
    match: { ...input.match, pathParameters: {} },
    rawQuery: '',
    headers: { host: ['h'] },
    body: Buffer.alloc(0),
  });
  for (const name of ['cookies', 'queryStringParameters', 'pathParameters', 'body'])
    expect(event).not.toHaveProperty(name);
  expect(event).toMatchObject({ rawQueryString: '', isBase64Encoded: false });
  expect(event).not.toHaveProperty('requestContext.authorizer');
});

describe('a request body', () => {
  const bodyFor = (contentType: string[]) =>
    requestEvent({ ...input, headers: { host: ['h'], 'content-type': contentType } });

  test.each(['application/json', 'text/csv; charset=utf-8', 'Application/XML'])(
    'is passed on as text for the type %s',
    (contentType) => {
      expect(bodyFor([contentType])).toMatchObject({ body: '{"ä":1}', isBase64Encoded: false });
    },
  );

  test('is passed on as base64 when it is compressed, whatever its type', () => {
    const headers = { host: ['h'], 'content-type': ['application/json'], 'content-encoding': ['gzip'] };
    expect(requestEvent({ ...input, headers })).toMatchObject({ isBase64Encoded: true });
  });

  test.each(['application/octet-stream', 'application/x-www-form-urlencoded', ''])(
    'is passed on as base64 for the type %j',
    (contentType) => {
      expect(bodyFor([contentType])).toMatchObject({
        body: input.body.toString('base64'),
        isBase64Encoded: true,
      });
    },
  );
});

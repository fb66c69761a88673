import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { beforeEach, describe, expect, test } from 'vitest';
import { contextOf, countedMetrics, setStage } from '../functions/invocation.ts';

/** Bytes that are not text. */
const binary = Buffer.from([0x25, 0xff, 0xfe, 0x00]);

beforeEach(async () => {
  const clear = setStage();
  await countedMetrics();
  return clear;
});

/** Calls a handler that returns its input, or throws it. */
async function call(
  facts: Partial<APIGatewayProxyEventV2>,
  thrown?: unknown,
  answered: unknown = { done: true },
) {
  const { httpHandler } = await import('../../../shared/lambda/http-handler.ts');
  const seen: { body: Buffer; repeated: readonly string[] }[] = [];
  const handler = httpHandler(async ({ rawBody, repeated }) => {
    seen.push({ body: Buffer.from(rawBody), repeated });
    if (thrown !== undefined) throw thrown;
    return { status: 200, body: answered };
  });
  const event = {
    rawPath: '/',
    routeKey: 'POST /',
    headers: {},
    requestContext: { requestId: 'r-1', http: { method: 'POST' } },
    ...facts,
  } as unknown as APIGatewayProxyEventV2;
  const answer = (await handler(event, contextOf(10_000))) as APIGatewayProxyStructuredResultV2;
  return { ...seen[0], answer };
}

describe('an HTTP handler', () => {
  test('decodes a Base64 body to bytes', async () => {
    const { body } = await call({ body: binary.toString('base64'), isBase64Encoded: true });
    expect(body).toEqual(binary);
  });

  test('decodes a text body to bytes', async () => {
    const { body } = await call({ body: 'Straße', isBase64Encoded: false });
    expect(body).toEqual(Buffer.from('Straße', 'utf8'));
  });

  test('receives no bytes when the request has no body', async () => {
    expect((await call({})).body).toEqual(Buffer.alloc(0));
  });

  test('answers in JSON', async () => {
    expect((await call({})).answer).toEqual({
      statusCode: 200,
      headers: { 'content-type': 'application/json' },
      body: '{"done":true}',
    });
  });

  test('answers in place of an answer of more than 6 MB, which Lambda would not return', async () => {
    const largest = 6 * 1024 * 1024;
    const large = await call({}, undefined, 'ü'.repeat(largest / 2));
    expect(large.answer.statusCode).toBe(400);
    expect(JSON.parse(large.answer.body ?? '')).toMatchObject({
      error: { code: 'PAGE_TOO_LARGE', message: expect.stringContaining('limit') },
      requestId: 'r-1',
    });
    // With each quote escaped a second time it is too large as well.
    expect((await call({}, undefined, '"'.repeat(largest / 4))).answer.statusCode).toBe(400);
    expect((await call({}, undefined, '"'.repeat(largest / 5))).answer.statusCode).toBe(200);
    expect((await call({}, undefined, 'x'.repeat(largest - 1_000))).answer.statusCode).toBe(200);
  });

  test('tells which query parameters are given twice, as API Gateway joins their values', async () => {
    const query = {
      rawQueryString: 'sku=A&limit=1&sku=B',
      queryStringParameters: { sku: 'A,B', limit: '1' },
    };
    expect((await call(query)).repeated).toEqual(['sku']);
    expect((await call({})).repeated).toEqual([]);
  });

  test('answers a refusal with the headers that belong to it', async () => {
    const { HttpError } = await import('../../../shared/lambda/http-handler.ts');
    const headers = { 'retry-after': '2' };
    const { answer } = await call({}, new HttpError(503, 'LIMIT_REACHED', 'wait', { headers }));
    expect(answer).toMatchObject({
      statusCode: 503,
      headers: { 'content-type': 'application/json', 'retry-after': '2' },
    });
  });

  test('answers an error with a message of 1,000 characters at most, and without details that Lambda would not return', async () => {
    const { HttpError } = await import('../../../shared/lambda/http-handler.ts');
    const details = { context: 'ü'.repeat(3 * 1024 * 1024) };
    const { answer } = await call({}, new HttpError(502, 'X', 'm'.repeat(5000), { details }));
    expect(answer.statusCode).toBe(502);
    expect(JSON.parse(answer.body ?? '')).toEqual({
      error: { code: 'X', message: 'm'.repeat(1000), details: { isCut: true } },
      requestId: 'r-1',
    });
  });

  test.each([
    'ThrottlingException',
    'ProvisionedThroughputExceededException',
    'RequestLimitExceeded',
    'RequestThrottled',
    'KmsThrottled',
    'SlowDown',
  ])('asks to try again after seconds while tables, queues or buckets throttle: %s', async (name) => {
    const { answer } = await call({}, Object.assign(new Error('slow down'), { name }));
    expect(answer).toMatchObject({ statusCode: 503, headers: { 'retry-after': '5' } });
    expect(JSON.parse(answer.body ?? '')).toMatchObject({ error: { code: 'TABLES_BUSY' } });
  });

  test.each(['UNPROCESSED', 'MESSAGES_NOT_SENT', 'WRITE_CONTENTION'])(
    'asks to try again after what a table or queue did not take at any try: %s',
    async (code) => {
      const { ConnectorError } = await import('../../../shared/errors/connector-error.ts');
      const left = new ConnectorError('3 left', { code, retryable: true });
      expect((await call({}, left)).answer).toMatchObject({
        statusCode: 503,
        headers: { 'retry-after': '5' },
      });
    },
  );

  test('answers a failure without its reason', async () => {
    const { answer } = await call({}, new Error('table X is gone'));
    expect(answer.statusCode).toBe(500);
    expect(JSON.parse(answer.body ?? '')).toEqual({
      error: { code: 'INTERNAL', message: 'the request failed' },
      requestId: 'r-1',
    });
  });
});

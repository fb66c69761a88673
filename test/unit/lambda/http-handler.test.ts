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
async function call(facts: Partial<APIGatewayProxyEventV2>, thrown?: unknown) {
  const { httpHandler } = await import('../../../shared/lambda/http-handler.ts');
  const seen: Buffer[] = [];
  const handler = httpHandler(async ({ rawBody }) => {
    seen.push(Buffer.from(rawBody));
    if (thrown !== undefined) throw thrown;
    return { status: 200, body: { done: true } };
  });
  const event = {
    rawPath: '/',
    routeKey: 'POST /',
    headers: {},
    requestContext: { requestId: 'r-1', http: { method: 'POST' } },
    ...facts,
  } as unknown as APIGatewayProxyEventV2;
  const answer = (await handler(event, contextOf(10_000))) as APIGatewayProxyStructuredResultV2;
  return { body: seen[0], answer };
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

  test('answers a refusal with the headers that belong to it', async () => {
    const { HttpError } = await import('../../../shared/lambda/http-handler.ts');
    const headers = { 'retry-after': '2' };
    const { answer } = await call({}, new HttpError(503, 'LIMIT_REACHED', 'wait', { headers }));
    expect(answer).toMatchObject({
      statusCode: 503,
      headers: { 'content-type': 'application/json', 'retry-after': '2' },
    });
  });

  test('answers a failure without its reason', async () => {
    const { answer } = await call({}, new Error('table X is gone'));
    expect(answer.statusCode).toBe(500);
    expect(JSON.parse(answer.body ?? '')).toEqual({
      error: { code: 'INTERNAL', message: 'the request failed' },
      requestId: 'r-1',
    });
  });
});

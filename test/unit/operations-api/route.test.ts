import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { requestFailure } from '../../../functions/operations-api/errors.ts';
import {
  decimalNumber,
  pageQuery,
  rawRoute,
  route,
  wholeNumber,
} from '../../../functions/operations-api/route.ts';
import { ConnectorError } from '../../../shared/errors/connector-error.ts';
import { HttpError } from '../../../shared/lambda/http-handler.ts';
import { MarketplaceError, type MarketplaceErrorOptions } from '../../../shared/marketplace/errors.ts';
import { requestTo } from './request.ts';

const key = 'POST /things/{id}';
const refusal = (status: number, code: string) => ({ name: expect.any(String), status, code });

/** A route that answers with its input, or fails. */
const echo = (failure?: Error) =>
  route(
    key,
    {
      path: z.object({ id: z.string().max(3) }),
      query: z.strictObject({ cursor: z.string().optional() }),
      body: z.object({ count: z.int() }),
      answers: { 200: z.object({ id: z.string(), count: z.int() }) },
    },
    async ({ path, body }) => {
      if (failure) throw failure;
      return { ...path, ...body };
    },
  );

const call = (facts: Parameters<typeof requestTo>[1] = {}, failure?: Error) =>
  echo(failure).handle(requestTo(key, { pathParameters: { id: 'a' }, body: { count: 1 }, ...facts }));

test.each(['', ' 5', '0x10', '1e3', '1,5', '.5'])('%j is no number of a query', (text) => {
  expect(decimalNumber(z.number()).safeParse(text).success).toBe(false);
  expect(decimalNumber(z.number()).parse('1.5')).toBe(1.5);
});

test.each(['', ' 5', '0x10', '1e3', '1.0', '٣'])('%j is no whole number of a query', (text) => {
  expect(wholeNumber(z.int()).safeParse(text).success).toBe(false);
  expect(wholeNumber(z.int()).parse('16')).toBe(16);
  expect(pageQuery.limit.safeParse(text).success).toBe(false);
});

describe('a route', () => {
  test('passes on a request that meets its schemas', async () => {
    expect(await call()).toEqual({ status: 200, body: { id: 'a', count: 1 } });
  });

  test.each([
    ['a path parameter that breaks its schema', { pathParameters: { id: 'long' } }, 400, 'REQUEST_INVALID'],
    ['a body that breaks its schema', { body: { count: 'one' } }, 400, 'REQUEST_INVALID'],
    ['no body', { rawBody: Buffer.alloc(0) }, 400, 'BODY_NOT_JSON'],
    ['a body of null, which is JSON', { rawBody: Buffer.from('null') }, 400, 'REQUEST_INVALID'],
    ['a body with a member twice', { rawBody: Buffer.from('{"count":1,"count":2}') }, 400, 'REQUEST_INVALID'],
    ['a body cut short', { rawBody: Buffer.from('{"count"') }, 400, 'BODY_NOT_JSON'],
    [
      'a body that nests 5,000 deep',
      { rawBody: Buffer.from('['.repeat(5000) + ']'.repeat(5000)) },
      400,
      'BODY_NOT_JSON',
    ],
    [
      'a body in Latin-1',
      { rawBody: Buffer.from('{"count":1,"sku":"Stück"}', 'latin1') },
      400,
      'BODY_NOT_JSON',
    ],
    [
      'a body with characters that API Gateway could not decode',
      { rawBody: Buffer.from('{"count":1,"sku":"St\uFFFDck"}') },
      400,
      'BODY_NOT_JSON',
    ],
    ['a body of another type', { headers: { 'content-type': 'text/plain' } }, 415, 'CONTENT_TYPE_UNKNOWN'],
    ['a body too large', { rawBody: Buffer.alloc(1_000_001, ' ') }, 413, 'BODY_TOO_LARGE'],
  ])('refuses %s', async (_, facts, status, code) => {
    await expect(call(facts)).rejects.toMatchObject({ status, code });
  });

  test.each([
    ['a query parameter', { query: { curser: 'x' } }, 'query: unknown "curser"; allowed: cursor'],
    ['a path parameter', { pathParameters: { id: 'long' } }, 'path.id: must have 3 characters or less'],
  ])('names what is allowed in place of %s that is not', async (_, facts, message) => {
    await expect(call(facts)).rejects.toMatchObject({ message });
  });

  test('refuses a query parameter that is given twice', async () => {
    const asked = call({ query: { cursor: 'a,b' }, repeated: ['cursor'] });
    const message = 'query.cursor: must be given once';
    await expect(asked).rejects.toMatchObject({ status: 400, code: 'REQUEST_INVALID', message });
  });

  test('without query parameters refuses one', async () => {
    const plain = route('GET /plain', { answers: { 202: z.object({}) } }, async () => ({}));
    expect(await plain.handle(requestTo('GET /plain'))).toMatchObject({ status: 202 });
    const asked = plain.handle(requestTo('GET /plain', { query: { other: '1' } }));
    await expect(asked).rejects.toMatchObject({ status: 400, code: 'REQUEST_INVALID' });
  });

  test.each([{}, undefined])('that takes no body accepts %j', async (body) => {
    const plain = route('POST /plain', { answers: { 202: z.object({}) } }, async () => ({}));
    expect(await plain.handle(requestTo('POST /plain', { body }))).toMatchObject({ status: 202 });
  });

  test('that takes no body refuses a field', async () => {
    const plain = route('POST /plain', { answers: { 202: z.object({}) } }, async () => ({}));
    const asked = plain.handle(requestTo('POST /plain', { body: { refresh: true } }));
    await expect(asked).rejects.toMatchObject({
      status: 400,
      message: 'body: unknown "refresh"; allowed: none',
    });
  });

  test.each(['application/json; charset=utf-8', 'application/problem+json', undefined])(
    'accepts JSON with the content type %s',
    async (type) => {
      expect(await call({ headers: { 'content-type': type } })).toMatchObject({ status: 200 });
    },
  );

  test('accepts JSON with the content type of a form, as curl sends it, and refuses a form', async () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    expect(await call({ headers })).toMatchObject({ status: 200 });
    const form = call({ headers, rawBody: Buffer.from('count=1') });
    await expect(form).rejects.toMatchObject({ status: 415 });
  });

  test('returns only what its schema names', async () => {
    const answers = { 200: z.object({ shown: z.string() }) };
    const shy = route('GET /shy', { answers }, async () => ({ shown: 'a', hidden: 'b' }));
    expect(await shy.handle(requestTo('GET /shy'))).toEqual({ status: 200, body: { shown: 'a' } });
  });

  test('fails when its answer breaks its schema', async () => {
    const answers = { 200: z.object({ shown: z.string() }) };
    const broken = route('GET /broken', { answers }, async () => ({}));
    await expect(broken.handle(requestTo('GET /broken'))).rejects.toThrow(z.ZodError);
  });

  test('fails when its answer has an undeclared status', async () => {
    const answers = { 200: z.object({}) };
    const other = rawRoute('GET /other', { answers }, async () => ({ status: 201, body: {} }));
    await expect(other.handle(requestTo('GET /other'))).rejects.toThrow(z.ZodError);
  });

  test('returns a text unchanged when its schema allows it', async () => {
    const answers = { 200: z.string().startsWith('{') };
    const textRoute = (text: string) =>
      rawRoute('GET /text', { answers, mediaType: 'application/x-ndjson' }, async () => ({
        status: 200,
        text,
      }));
    expect(await textRoute('{}\n').handle(requestTo('GET /text'))).toEqual({ status: 200, text: '{}\n' });
    await expect(textRoute('x').handle(requestTo('GET /text'))).rejects.toThrow(z.ZodError);
  });
});

describe('an error thrown by a route', () => {
  test.each([
    ['STORE_NOT_CONNECTED', 409],
    ['DOCUMENT_BUSY', 409],
    ['CURSOR_INVALID', 400],
  ])('with the code %s is answered with %d', async (code, status) => {
    await expect(call({}, new ConnectorError('x', { code }))).rejects.toMatchObject(refusal(status, code));
  });

  test('is thrown on when it is an error of the connector itself', async () => {
    const failure = new ConnectorError('x', { code: 'MESSAGES_NOT_SENT' });
    await expect(call({}, failure)).rejects.toBe(failure);
    await expect(call({}, failure)).rejects.not.toBeInstanceOf(HttpError);
  });

  const failed = (options: Partial<MarketplaceErrorOptions> & { code: string }) =>
    new MarketplaceError({ message: 'm', outcome: 'refused', retryable: false, ...options });

  test.each([
    ['a refusal', failed({ code: 'PRD_014', status: 404 }), 404],
    ['a limit', failed({ code: 'RATE_LIMITED', status: 429, retryable: true }), 429],
    ['the partner’s own credentials', failed({ code: 'AUTH_010', status: 401 }), 502],
    ['credentials that it refuses without a code', failed({ code: 'HTTP_401', status: 401 }), 502],
    ['a way that is forbidden without a code', failed({ code: 'HTTP_403', status: 403 }), 502],
    ['a dependency that is down', failed({ code: 'SYS_DEP_503', status: 503, retryable: true }), 503],
    ['a lost answer', failed({ code: 'TIMEOUT', outcome: 'unknown' }), 504],
    ['no connection', failed({ code: 'CONNECT_FAILED', outcome: 'not-sent' }), 502],
    ['no permit to send', failed({ code: 'LIMIT_REACHED', outcome: 'not-sent', retryable: true }), 503],
    ['restored tables', failed({ code: 'TABLES_RESTORED', outcome: 'not-sent', retryable: true }), 503],
    ['no time to send', failed({ code: 'ABORTED', outcome: 'not-sent' }), 504],
    ['a request that breaks a rule', failed({ code: 'REQUEST_INVALID', outcome: 'not-sent' }), 400],
    ['a refusal under another status', failed({ code: 'ORDER_021', status: 400 }), 409],
    ['a refusal under 200', failed({ code: 'VAL_001', status: 200 }), 400],
    [
      'an upstream that did not answer',
      failed({ code: 'SYS_UPS_001', status: 502, outcome: 'unknown' }),
      504,
    ],
    ['a refusal with a code of its own', failed({ code: 'NEW_007', status: 418 }), 418],
    ['a fault with a code of its own', failed({ code: 'NEW_500', status: 500, outcome: 'unknown' }), 504],
  ])('keeps the code of the marketplace for %s', async (_, failure, status) => {
    await expect(call({}, failure)).rejects.toMatchObject({
      status,
      code: failure.code,
      details: { marketplace: { outcome: failure.outcome } },
    });
  });

  test('has the hint of the marketplace', async () => {
    const hinted = failed({ code: 'VAL_001', hint: 'use a whole number' });
    const details = { marketplace: { hint: 'use a whole number' } };
    await expect(call({}, hinted)).rejects.toMatchObject({ details });
    const fault = {
      code: 'VAL_001',
      message: 'no',
      details: { hint: 'use a whole number', reason: 'STOCK' },
    };
    expect(requestFailure(fault).details).toEqual({
      marketplace: { outcome: 'refused', hint: 'use a whole number', context: { reason: 'STOCK' } },
    });
  });

  test('with a waiting time is answered with Retry-After in whole seconds', async () => {
    const limit = failed({
      code: 'LIMIT_REACHED',
      outcome: 'not-sent',
      retryable: true,
      retryAfterMs: 1_200,
    });
    await expect(call({}, limit)).rejects.toMatchObject({ status: 503, headers: { 'retry-after': '2' } });
    await expect(call({}, failed({ code: 'VAL_001' }))).rejects.toMatchObject({ headers: {} });
  });

  test('is answered as an invalid cursor when DynamoDB refuses the cursor', async () => {
    const failure = Object.assign(new Error('x'), { name: 'ValidationException' });
    await expect(call({ query: { cursor: 'e30' } }, failure)).rejects.toMatchObject(
      refusal(400, 'CURSOR_INVALID'),
    );
    await expect(call({}, failure)).rejects.toBe(failure);
  });
});

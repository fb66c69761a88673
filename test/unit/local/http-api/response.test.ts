import { describe, expect, test } from 'vitest';
import { responseOf } from '../../../../local/aws/http-api/response.ts';

test('a complete response is sent as it is', () => {
  expect(
    responseOf({
      statusCode: 201,
      headers: { 'Content-Type': 'application/json', 'X-Count': 3, 'Content-Length': '99' },
      cookies: ['a=1', 'b=2'],
      body: '{"ä":1}',
    }),
  ).toEqual({
    status: 201,
    headers: { 'content-type': 'application/json', 'x-count': '3', 'set-cookie': ['a=1', 'b=2'] },
    body: Buffer.from('{"ä":1}'),
  });
});

test('a base64 body is sent as bytes', () => {
  const pdf = Buffer.from('%PDF-1.7\u0000\u00ff', 'latin1');
  const response = responseOf({ statusCode: 200, body: pdf.toString('base64'), isBase64Encoded: true });
  expect(response?.body).toEqual(pdf);
});

test('a response without body or headers is sent empty', () => {
  expect(responseOf({ statusCode: '204' })).toMatchObject({ status: 204, body: Buffer.alloc(0) });
});

describe('a value without a status code is sent as the body with status 200', () => {
  test.each([
    ['an object', { ok: true }, '{"ok":true}'],
    ['text', 'done', 'done'],
    ['null', null, 'null'],
    ['a list', [1, 2], '[1,2]'],
  ])('%s', (_what, value, body) => {
    expect(responseOf(value)).toEqual({
      status: 200,
      headers: { 'content-type': 'application/json' },
      body: Buffer.from(body),
    });
  });
});

test.each([
  ['a status code out of range', { statusCode: 42 }],
  ['a status code that is no number', { statusCode: 'OK' }],
  ['a body that is no text', { statusCode: 200, body: { ok: true } }],
])('%s is not a valid response', (_what, value) => {
  expect(responseOf(value)).toBeUndefined();
});

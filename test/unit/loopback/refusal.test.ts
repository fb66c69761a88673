import { describe, expect, test } from 'vitest';
import { type ReceivedHead, type Rules, refusalOf } from '../../../loopback/refusal.ts';

const OWN = 'http://127.0.0.1:4566';

function codeOf(
  headers: ReceivedHead['headers'],
  { method = 'GET', ...rules }: Rules & { method?: string } = {},
) {
  return refusalOf({ method, headers: { host: '127.0.0.1:4566', ...headers } }, rules)?.code;
}

describe('a server on this machine', () => {
  test.each([
    '127.0.0.1',
    '127.0.0.1:4566',
    'localhost:4566',
    'LOCALHOST:8080',
    '[::1]:4566',
    'my-bucket.localhost:4566',
    'my.bucket.s3.us-east-1.localhost:4566',
    'host.docker.internal:4568',
  ])('answers under its own name %s', (host) => {
    expect(codeOf({ host })).toBeUndefined();
  });

  test.each([
    'evil.example',
    'evil.example:4566',
    '127.0.0.1.evil.example:4566',
    'localhost.evil.example',
    'evil-localhost:4566',
    '127.0.0.1:4566@evil.example',
    '10.0.0.7:4566',
    '0.0.0.0:4566',
    '',
  ])('refuses the foreign name "%s", which leads here by DNS rebinding', (host) => {
    expect(codeOf({ host })).toBe('HOST_REFUSED');
  });

  test('refuses a request that names no host', () => {
    expect(refusalOf({ method: 'GET', headers: {} })?.code).toBe('HOST_REFUSED');
  });

  test.each([
    ['a program', {}],
    ['its own page', { origin: OWN, 'sec-fetch-site': 'same-origin' }],
    ['an address typed into the browser', { 'sec-fetch-site': 'none', 'sec-fetch-dest': 'document' }],
    ['a link on another site', { 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'document' }],
  ])('answers %s', (_, headers) => {
    expect(codeOf(headers)).toBeUndefined();
  });

  test.each([
    'http://evil.example',
    'http://localhost:4566',
    'http://127.0.0.1:1',
    'https://127.0.0.1:4566',
    'null',
    '',
  ])('refuses the origin "%s"', (origin) => {
    expect(codeOf({ origin }, { method: 'POST' })).toBe('ORIGIN_REFUSED');
    expect(codeOf({ origin })).toBe('ORIGIN_REFUSED');
  });

  test.each([
    [
      'a script or an image of another site',
      'GET',
      { 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'script' },
    ],
    ['a frame on another site', 'GET', { 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'iframe' }],
    ['a form on another site', 'POST', { 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'document' }],
    ['another server of this machine', 'GET', { 'sec-fetch-site': 'same-site', 'sec-fetch-dest': 'empty' }],
  ])('refuses %s', (_, method, headers) => {
    expect(codeOf(headers, { method })).toBe('ORIGIN_REFUSED');
  });
});

describe('a server that takes JSON only', () => {
  const typed = (type: string | undefined, headers: ReceivedHead['headers'] = { 'content-length': '2' }) =>
    codeOf(
      { ...headers, ...(type !== undefined && { 'content-type': type }) },
      { method: 'POST', onlyJson: true },
    );

  test.each(['application/json', 'application/json; charset=utf-8', 'Application/JSON'])(
    'takes %s',
    (type) => {
      expect(typed(type)).toBeUndefined();
    },
  );

  test.each(['text/plain', 'text/plain;application/json', 'application/x-www-form-urlencoded', undefined])(
    'refuses a body of type %s, which a form of any page can send',
    (type) => {
      expect(typed(type)).toBe('CONTENT_TYPE_REFUSED');
      expect(typed(type, { 'transfer-encoding': 'chunked' })).toBe('CONTENT_TYPE_REFUSED');
    },
  );

  test('needs no type of a request without a body', () => {
    expect(typed(undefined, {})).toBeUndefined();
    expect(typed('application/x-www-form-urlencoded', { 'content-length': '0' })).toBeUndefined();
  });
});

describe('a server that only its own page uses', () => {
  const pageAt = '127.0.0.1:4566';

  test('answers under its one address only', () => {
    expect(codeOf({}, { pageAt })).toBeUndefined();
    expect(codeOf({ host: 'localhost:4566' }, { pageAt })).toBe('HOST_REFUSED');
  });

  test('takes changes from its page only, not from programs or links', () => {
    expect(codeOf({ origin: OWN }, { pageAt, method: 'POST' })).toBeUndefined();
    expect(codeOf({}, { pageAt, method: 'POST' })).toBe('ORIGIN_REFUSED');
    expect(codeOf({ 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'document' }, { pageAt })).toBe(
      'ORIGIN_REFUSED',
    );
  });
});

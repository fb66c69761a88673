import { Sha256 } from '@aws-crypto/sha256-js';
import { SignatureV4 } from '@smithy/signature-v4';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { SigV4Request } from '../../../../local/aws/sigv4/request.ts';
import { verifySigV4 } from '../../../../local/aws/sigv4/verify.ts';

const EMPTY = new Uint8Array();
const NOW = Date.UTC(2026, 10, 21, 12);
const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
const lookup = (id: string) => (id === credentials.accessKeyId ? credentials : undefined);

function signer(service: string, sessionToken?: string): SignatureV4 {
  return new SignatureV4({
    credentials: sessionToken === undefined ? credentials : { ...credentials, sessionToken },
    region: 'us-east-1',
    service,
    sha256: Sha256,
    uriEscapePath: service !== 's3',
  });
}

interface Draft {
  method?: string;
  path?: string;
  query?: Record<string, string | string[]>;
  headers?: Record<string, string>;
  body?: string;
  service?: string;
  sessionToken?: string;
}

/** Encodes a path label as the SDK does. */
function encodeSegment(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function serializeQuery(query: Record<string, string | string[] | null>): string {
  return Object.entries(query)
    .flatMap(([name, value]) =>
      [value ?? ''].flat().map((one) => `${encodeURIComponent(name)}=${encodeURIComponent(one)}`),
    )
    .join('&');
}

/** A request signed by AWS's signer, as it arrives. */
async function signed(draft: Draft = {}): Promise<SigV4Request> {
  const service = draft.service ?? 'sqs';
  const request = await signer(service, draft.sessionToken).sign(
    {
      method: draft.method ?? 'POST',
      protocol: 'http:',
      hostname: '127.0.0.1',
      path: draft.path ?? '/',
      query: draft.query ?? {},
      headers: { host: '127.0.0.1:4566', ...draft.headers },
      body: draft.body ?? '',
    },
    { signingDate: new Date(NOW) },
  );
  return {
    method: request.method,
    rawPath: request.path,
    rawQuery: serializeQuery(draft.query ?? {}),
    headers: Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name.toLowerCase(), value]),
    ),
    body: Buffer.from(draft.body ?? ''),
  };
}

async function presigned(expiresIn: number): Promise<SigV4Request> {
  const request = await signer('s3').presign(
    {
      method: 'GET',
      protocol: 'http:',
      hostname: '127.0.0.1',
      path: '/bucket/a%20b',
      headers: { host: '127.0.0.1:4566', 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' },
    },
    { signingDate: new Date(NOW), expiresIn },
  );
  const query = request.query as Record<string, string>;
  return {
    method: 'GET',
    rawPath: request.path,
    rawQuery: serializeQuery(query),
    headers: { host: '127.0.0.1:4566' },
    body: EMPTY,
  };
}

describe('the signature in an example of AWS verifies', () => {
  test('for an IAM ListUsers request', () => {
    const request: SigV4Request = {
      method: 'GET',
      rawPath: '/',
      rawQuery: 'Action=ListUsers&Version=2010-05-08',
      headers: {
        host: 'iam.amazonaws.com',
        'content-type': 'application/x-www-form-urlencoded; charset=utf-8',
        'x-amz-date': '20150830T123600Z',
        authorization:
          'AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/iam/aws4_request, SignedHeaders=content-type;host;x-amz-date, Signature=5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7',
      },
      body: EMPTY,
    };
    const secret = { secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' };
    expect(verifySigV4(request, () => secret, Date.UTC(2015, 7, 30, 12, 36))).toEqual({
      ok: true,
      accessKeyId: 'AKIDEXAMPLE',
      region: 'us-east-1',
      service: 'iam',
    });
  });

  const s3Secret = { secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY' };

  test('for an S3 GetObject with a range', () => {
    const request: SigV4Request = {
      method: 'GET',
      rawPath: '/test.txt',
      rawQuery: '',
      headers: {
        host: 'examplebucket.s3.amazonaws.com',
        range: 'bytes=0-9',
        'x-amz-content-sha256': 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
        'x-amz-date': '20130524T000000Z',
        authorization:
          'AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,SignedHeaders=host;range;x-amz-content-sha256;x-amz-date,Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
      },
      body: EMPTY,
    };
    expect(verifySigV4(request, () => s3Secret, Date.UTC(2013, 4, 24))).toMatchObject({
      ok: true,
      service: 's3',
    });
  });

  test('for a presigned S3 URL', () => {
    const request: SigV4Request = {
      method: 'GET',
      rawPath: '/test.txt',
      rawQuery:
        'X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404',
      headers: { host: 'examplebucket.s3.amazonaws.com' },
      body: EMPTY,
    };
    expect(verifySigV4(request, () => s3Secret, Date.UTC(2013, 4, 24, 23))).toMatchObject({ ok: true });
  });
});

describe('a request signed by the SDK', () => {
  test('is verified with any path, query and body', async () => {
    const segment = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 6 })
      .filter((text) => !/^\.{1,2}$/.test(text));
    const path = fc.array(segment, { maxLength: 4 }).map((parts) => `/${parts.map(encodeSegment).join('/')}`);
    const name = fc
      .string({ minLength: 1, maxLength: 5 })
      .filter((text) => !text.startsWith('X-Amz') && text !== '__proto__');
    const query = fc.dictionary(
      name,
      fc.oneof(fc.string(), fc.array(fc.string(), { minLength: 1, maxLength: 3 })),
      { maxKeys: 4, noNullPrototype: true },
    );
    await fc.assert(
      fc.asyncProperty(
        path,
        query,
        fc.string(),
        fc.constantFrom('sqs', 's3', 'execute-api'),
        async (path, query, body, service) => {
          const request = await signed({ path, query, body, service });
          expect(verifySigV4(request, lookup, NOW)).toEqual({
            ok: true,
            accessKeyId: 'local',
            region: 'us-east-1',
            service,
          });
        },
      ),
      { numRuns: 200 },
    );
  });

  test.each<[string, (request: SigV4Request) => SigV4Request]>([
    ['the method', (request) => ({ ...request, method: 'PUT' })],
    ['the path', (request) => ({ ...request, rawPath: '/other' })],
    ['the query', (request) => ({ ...request, rawQuery: 'a=2' })],
    ['a signed header', (request) => ({ ...request, headers: { ...request.headers, host: 'elsewhere' } })],
  ])('is refused when its %s is changed', async (_what, change) => {
    const request = await signed({ path: '/queue', query: { a: '1' } });
    expect(verifySigV4(request, lookup, NOW)).toMatchObject({ ok: true });
    expect(verifySigV4(change(request), lookup, NOW)).toMatchObject({ code: 'SignatureMismatch' });
  });

  test('is refused when its body is changed', async () => {
    const request = await signed({ body: 'ten' });
    expect(verifySigV4({ ...request, body: Buffer.from('two') }, lookup, NOW)).toMatchObject({
      code: 'PayloadMismatch',
    });
  });

  test('is refused when it is made with another secret or by an unknown key', async () => {
    const request = await signed();
    expect(verifySigV4(request, () => ({ secretAccessKey: 'other' }), NOW)).toMatchObject({
      code: 'SignatureMismatch',
    });
    expect(verifySigV4(request, () => undefined, NOW)).toMatchObject({ code: 'UnrecognizedClient' });
  });

  test('is refused for another service', async () => {
    const request = await signed({ service: 'sqs' });
    expect(verifySigV4({ ...request, service: 'execute-api' }, lookup, NOW)).toMatchObject({
      code: 'WrongService',
    });
  });

  test('needs the session token that belongs to temporary credentials', async () => {
    const session = () => ({ secretAccessKey: 'local', sessionToken: 'session-1' });
    expect(verifySigV4(await signed({ sessionToken: 'session-1' }), session, NOW)).toMatchObject({
      ok: true,
    });
    for (const request of [await signed(), await signed({ sessionToken: 'session-2' })]) {
      expect(verifySigV4(request, session, NOW)).toMatchObject({ code: 'UnrecognizedClient' });
    }
  });

  test('is accepted only within the allowed clock skew', async () => {
    const request = await signed();
    expect(verifySigV4(request, lookup, NOW + 299_000)).toMatchObject({ ok: true });
    expect(verifySigV4(request, lookup, NOW + 301_000)).toMatchObject({ code: 'Expired' });
    expect(verifySigV4(request, lookup, NOW - 301_000)).toMatchObject({ code: 'NotYetValid' });
  });

  test('is refused when an S3 header was added after signing', async () => {
    const request = await signed({ service: 's3', method: 'PUT', path: '/bucket/key' });
    const headers = { ...request.headers, 'x-amz-copy-source': '/secret/key' };
    expect(verifySigV4({ ...request, headers }, lookup, NOW)).toMatchObject({ code: 'IncompleteSignature' });
  });

  test('may have an unsigned body for S3 only', async () => {
    const headers = { 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' };
    expect(verifySigV4(await signed({ service: 's3', headers, body: 'x' }), lookup, NOW)).toMatchObject({
      ok: true,
    });
    expect(verifySigV4(await signed({ headers, body: 'x' }), lookup, NOW)).toMatchObject({
      code: 'PayloadMismatch',
    });
  });
});

describe('a presigned URL of the SDK', () => {
  test('is valid until it expires', async () => {
    const request = await presigned(3600);
    expect(verifySigV4(request, lookup, NOW + 3_599_000)).toMatchObject({ ok: true, service: 's3' });
    expect(verifySigV4(request, lookup, NOW + 3_601_000)).toMatchObject({ code: 'Expired' });
  });

  test('is refused with another lifetime', async () => {
    const request = await presigned(60);
    const rawQuery = request.rawQuery.replace('X-Amz-Expires=60', 'X-Amz-Expires=6000');
    expect(verifySigV4({ ...request, rawQuery }, lookup, NOW)).toMatchObject({ code: 'SignatureMismatch' });
  });
});

describe('a request without a usable signature is refused', () => {
  const bare: SigV4Request = {
    method: 'GET',
    rawPath: '/',
    rawQuery: '',
    headers: { host: 'h' },
    body: EMPTY,
  };

  test('when it has no signature', () => {
    expect(verifySigV4(bare, lookup, NOW)).toMatchObject({ code: 'MissingAuthentication' });
  });

  test.each([
    ['another scheme', 'Bearer abc', '20261121T120000Z'],
    [
      'a part missing',
      'AWS4-HMAC-SHA256 Credential=local/20261121/r/sqs/aws4_request, Signature=ab',
      '20261121T120000Z',
    ],
    [
      'a short scope',
      'AWS4-HMAC-SHA256 Credential=local/20261121, SignedHeaders=host, Signature=ab',
      '20261121T120000Z',
    ],
    [
      'no date',
      'AWS4-HMAC-SHA256 Credential=local/20261121/r/sqs/aws4_request, SignedHeaders=host, Signature=ab',
      undefined,
    ],
    [
      'a date of another day',
      'AWS4-HMAC-SHA256 Credential=local/20261120/r/sqs/aws4_request, SignedHeaders=host, Signature=ab',
      '20261121T120000Z',
    ],
    [
      'no signed host',
      'AWS4-HMAC-SHA256 Credential=local/20261121/r/sqs/aws4_request, SignedHeaders=x-amz-date, Signature=ab',
      '20261121T120000Z',
    ],
  ])('when it has %s', (_what, authorization, date) => {
    const headers = { host: 'h', authorization, ...(date === undefined ? {} : { 'x-amz-date': date }) };
    expect(verifySigV4({ ...bare, headers }, lookup, NOW)).toMatchObject({ code: 'IncompleteSignature' });
  });
});

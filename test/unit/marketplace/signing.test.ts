import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  bodyHash,
  canonicalString,
  signature,
  signRequest,
  verifySignature,
} from '../../../shared/marketplace/signing.ts';

interface Vector {
  readonly name: string;
  readonly secretKey: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: string;
  readonly bodyHash: string;
  readonly canonicalString: string;
  readonly signature: string;
}

const vectors: Vector[] = JSON.parse(
  readFileSync(new URL('../../vectors/signing.json', import.meta.url), 'utf8'),
);

describe('the published signing vectors', () => {
  it('are at least 40', () => {
    expect(vectors.length).toBeGreaterThanOrEqual(40);
  });

  it.each(vectors)('are reproduced: $name', ({ secretKey, body, ...vector }) => {
    const request = { ...vector, body: Buffer.from(body) };
    expect(bodyHash(request.body)).toBe(vector.bodyHash);
    expect(canonicalString(request)).toBe(vector.canonicalString);
    expect(signature(secretKey, vector.canonicalString)).toBe(vector.signature);
    expect(
      verifySignature(secretKey, {
        ...request,
        headers: { ...request.headers, 'x-signature': vector.signature },
      }),
    ).toBe(true);
  });
});

describe('signRequest', () => {
  const store = { storeClientId: 'store-1wh', storeToken: 'token-store-1wh' };

  it('makes the headers of a store-scoped call', () => {
    const headers = signRequest('key', {
      method: 'GET',
      path: '/partner/stores/warehouses',
      partnerClientId: 'partner',
      store,
      timestamp: 1767225600000,
    });
    expect(Object.keys(headers)).toEqual([
      'x-partner-client-id',
      'x-store-client-id',
      'x-store-token',
      'x-timestamp',
      'x-signature',
    ]);
    expect(headers['x-timestamp']).toBe('1767225600000');
  });

  it('leaves the store out of a partner-only call', () => {
    const headers = signRequest('key', {
      method: 'POST',
      path: '/p',
      partnerClientId: 'partner',
      timestamp: 1,
    });
    expect(Object.keys(headers)).toEqual(['x-partner-client-id', 'x-timestamp', 'x-signature']);
  });
});

describe('verifySignature', () => {
  const request = { method: 'POST', path: '/hook', body: Buffer.from('{"a":1}') };
  const headers = { 'x-partner-client-id': 'p', 'x-timestamp': '1' };
  const right = signature('key', canonicalString({ ...request, headers }));

  it.each([
    ['without the prefix', right.slice('sha256='.length), true],
    ['with one digit changed', right.replace(/.$/, (digit) => (digit === '0' ? '1' : '0')), false],
    ['cut short', right.slice(0, -1), false],
    ['empty', '', false],
    ['missing', undefined, false],
  ])('judges a signature %s', (_, given, accepted) => {
    expect(verifySignature('key', { ...request, headers: { ...headers, 'x-signature': given } })).toBe(
      accepted,
    );
  });

  it('refuses a body with one byte changed', () => {
    const body = Buffer.from('{"a":2}');
    expect(verifySignature('key', { ...request, body, headers: { ...headers, 'x-signature': right } })).toBe(
      false,
    );
  });
});

import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

/** The headers that are signed if present (§5). */
const SIGNED_HEADERS = ['x-partner-client-id', 'x-store-client-id', 'x-store-token', 'x-timestamp'] as const;

export type SignedHeaders = Partial<Record<(typeof SIGNED_HEADERS)[number], string>>;

export interface SignedRequest {
  method: string;
  /** The encoded path as sent; `/api/v1` and query are optional. */
  path: string;
  headers: SignedHeaders;
  body: Uint8Array;
}

export function signedHeadersOf(read: (name: string) => string | undefined): SignedHeaders {
  const present = SIGNED_HEADERS.map((name) => [name, read(name)] as const);
  return Object.fromEntries(present.filter(([, value]) => value !== undefined));
}

/** The path without the `/api/v1` prefix and without the query string (§5). */
export function signedPath(wirePath: string): string {
  const [path = ''] = wirePath.split('?', 1);
  return path.replace(/^\/api\/v1(?=\/|$)/, '');
}

export function bodyHash(body: Uint8Array): string {
  return createHash('sha256').update(body).digest('hex');
}

/** The base string of §5. */
export function baseString(request: SignedRequest): string {
  const headers = Object.entries(request.headers)
    .map(([name, value]) => `${name}:${value}`)
    .sort();
  return [request.method.toUpperCase(), signedPath(request.path), ...headers, bodyHash(request.body)].join(
    '\n',
  );
}

/** The value of `x-signature` for a base string. */
export function signatureOf(secretKey: string, base: string): string {
  return `sha256=${createHmac('sha256', secretKey).update(base).digest('hex')}`;
}

export function sameSignature(expected: string, given: string): boolean {
  const [left, right] = [Buffer.from(expected), Buffer.from(given)];
  return left.length === right.length && timingSafeEqual(left, right);
}

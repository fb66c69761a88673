import { createHmac, hash, timingSafeEqual } from 'node:crypto';

/** Path prefix that carries the API's version (§9). It is sent, and removed before signing. */
export const API_PREFIX = '/api/v1';

/** Headers that are signed if present (§5), in lexicographic order. */
const SIGNED_HEADERS = ['x-partner-client-id', 'x-store-client-id', 'x-store-token', 'x-timestamp'] as const;

const SIGNATURE_PREFIX = 'sha256=';
const NO_BODY = new Uint8Array();

/** The signed parts of a request. */
interface SignableRequest {
  /** HTTP method, in any case. */
  readonly method: string;
  /** Path as sent: percent-encoded; the `/api/v1` prefix and the query string are optional. */
  readonly path: string;
  /** Headers with lowercase names; other headers than the signed ones are ignored. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The exact bytes of the body. */
  readonly body?: Uint8Array | undefined;
}

export interface RequestToSign {
  readonly method: string;
  readonly path: string;
  readonly body?: Uint8Array | undefined;
  readonly partnerClientId: string;
  /** The store's public ID and token, for a store-scoped call. */
  readonly store?: { readonly storeClientId: string; readonly storeToken: string } | undefined;
  /** `x-timestamp`: UNIX epoch in milliseconds. */
  readonly timestamp: number;
}

/** Lowercase hex SHA-256 of the body as transmitted; without a body, of the empty string (§5). */
export function bodyHash(body: Uint8Array = NO_BODY): string {
  return hash('sha256', body);
}

/** The path sent, without `/api/v1` and without the query string (§5). */
function signedPath(path: string): string {
  const queryAt = path.indexOf('?');
  const from = path.startsWith(`${API_PREFIX}/`) ? API_PREFIX.length : 0;
  return path.slice(from, queryAt < 0 ? undefined : queryAt);
}

/** The base string of §5: lines with the method, the path, each signed header that is present, and the body hash. */
export function canonicalString({ method, path, headers, body }: SignableRequest): string {
  let text = `${method.toUpperCase()}\n${signedPath(path)}\n`;
  for (const name of SIGNED_HEADERS) {
    const value = headers[name];
    if (value !== undefined) text += `${name}:${value}\n`;
  }
  return text + bodyHash(body);
}

/** The value of `x-signature` for a base string: `sha256=` and the lowercase hex HMAC-SHA256 (§5). */
export function signature(secretKey: string, canonical: string): string {
  return SIGNATURE_PREFIX + createHmac('sha256', secretKey).update(canonical).digest('hex');
}

/**
 * The authentication headers of a request, signature included (§5).
 *
 * @returns headers with lowercase names. The two headers of the store only for a store-scoped call.
 */
export function signRequest(secretKey: string, request: RequestToSign): Record<string, string> {
  const headers: Record<string, string> = { 'x-partner-client-id': request.partnerClientId };
  if (request.store) {
    headers['x-store-client-id'] = request.store.storeClientId;
    headers['x-store-token'] = request.store.storeToken;
  }
  headers['x-timestamp'] = String(request.timestamp);
  const { method, path, body } = request;
  headers['x-signature'] = signature(secretKey, canonicalString({ method, path, headers, body }));
  return headers;
}

/**
 * Whether `x-signature` was made with this secret, compared in constant time. Bare hex is accepted as well, as §5 leaves
 * open whether the `sha256=` prefix is always sent.
 *
 * @param request the received request with the raw bytes of its body.
 */
export function verifySignature(secretKey: string, request: SignableRequest): boolean {
  const given = request.headers['x-signature'];
  if (!given) return false;
  const prefixed = given.startsWith(SIGNATURE_PREFIX) ? given : SIGNATURE_PREFIX + given;
  return equalInConstantTime(prefixed, signature(secretKey, canonicalString(request)));
}

/** Compares texts that are derived from secrets. The duration does not reveal where they differ. */
export function equalInConstantTime(given: string, expected: string): boolean {
  const [left, right] = [Buffer.from(given), Buffer.from(expected)];
  return left.length === right.length && timingSafeEqual(left, right);
}

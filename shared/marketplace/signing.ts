import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

/** Path prefix that carries the API's version (§9). It is sent, and removed before signing. */
export const API_PREFIX = '/api/v1';

/** Headers that are signed if present (§5), in lexicographic order. */
const SIGNED_HEADERS = ['x-partner-client-id', 'x-store-client-id', 'x-store-token', 'x-timestamp'] as const;

const SIGNATURE_PREFIX = 'sha256=';
const NO_BODY = new Uint8Array();

/** The signed parts of a request. */
export interface SignableRequest {
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
  /** The store's public ID and token: both for a store-scoped call, neither otherwise. */
  readonly store?: { readonly storeClientId: string; readonly storeToken: string } | undefined;
  /** `x-timestamp`: UNIX epoch in milliseconds. */
  readonly timestamp: number;
}

/** Lowercase hex SHA-256 of the body as transmitted; without a body, of the empty string (§5). */
export function bodyHash(body: Uint8Array = NO_BODY): string {
  return createHash('sha256').update(body).digest('hex');
}

/** The path sent, without `/api/v1` and without the query string (§5). */
function signedPath(path: string): string {
  const withoutQuery = path.split('?', 1)[0] ?? '';
  return withoutQuery.startsWith(`${API_PREFIX}/`) ? withoutQuery.slice(API_PREFIX.length) : withoutQuery;
}

/** The base string of §5: lines with the method, the path, each signed header that is present, and the body hash. */
export function canonicalString({ method, path, headers, body }: SignableRequest): string {
  const headerLines = SIGNED_HEADERS.flatMap((name) => {
    const value = headers[name];
    return value === undefined ? [] : [`${name}:${value}`];
  });
  return [method.toUpperCase(), signedPath(path), ...headerLines, bodyHash(body)].join('\n');
}

/** The value of `x-signature` for a base string: `sha256=` and the lowercase hex HMAC-SHA256 (§5). */
export function signature(secretKey: string, canonical: string): string {
  return SIGNATURE_PREFIX + createHmac('sha256', secretKey).update(canonical).digest('hex');
}

/**
 * The authentication headers of a request, signature included (§5).
 *
 * @returns headers with lowercase names; the store's two only for a store-scoped call.
 */
export function signRequest(secretKey: string, request: RequestToSign): Record<string, string> {
  const headers = {
    'x-partner-client-id': request.partnerClientId,
    ...(request.store && {
      'x-store-client-id': request.store.storeClientId,
      'x-store-token': request.store.storeToken,
    }),
    'x-timestamp': String(request.timestamp),
  };
  const canonical = canonicalString({ ...request, headers });
  return { ...headers, 'x-signature': signature(secretKey, canonical) };
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

/** Compares two strings derived from secrets. Its duration does not reveal where they differ. */
export function equalInConstantTime(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}

import type { StoreCredentials } from '../../../../shared/marketplace/request.ts';
import { signRequest } from '../../../../shared/marketplace/signing.ts';
import type { Target } from './target.ts';

export interface RawRequest {
  readonly method: string;
  /** Below `/api/v1`, query string included. */
  readonly path: string;
  readonly store?: StoreCredentials;
  readonly body?: string;
  readonly timestamp?: number;
  readonly secretKey?: string;
  readonly partnerClientId?: string;
}

export interface RawAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly json: Record<string, unknown>;
}

export interface SignedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body?: string | undefined;
}

/** Signs a request as §5 says; a test may change it before it is sent. */
export function signed(target: Target, request: RawRequest): SignedRequest {
  const { method, path, store, body, timestamp = Date.now() } = request;
  const headers = signRequest(request.secretKey ?? target.secretKey, {
    method,
    path,
    partnerClientId: request.partnerClientId ?? target.partnerClientId,
    store,
    timestamp,
    ...(body !== undefined && { body: Buffer.from(body) }),
  });
  return { method, path, body, headers };
}

/** Sends a request without the client's checks. */
export async function send(target: Target, request: SignedRequest): Promise<RawAnswer> {
  const { method, path, headers, body } = request;
  const response = await fetch(`${target.baseUrl}/api/v1${path}`, {
    method,
    headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body }),
  });
  return {
    status: response.status,
    headers: response.headers,
    json: (await response.json()) as RawAnswer['json'],
  };
}

/** The error in the server's answer. */
export function errorOf({ json }: RawAnswer): {
  code?: string;
  details?: { context?: Record<string, unknown> };
} {
  return (json.error ?? {}) as ReturnType<typeof errorOf>;
}

import { Sha256 } from '@aws-crypto/sha256-js';
import { SignatureV4 } from '@smithy/signature-v4';
import type { LocalRun } from '../../../local/aws/index.ts';
import { until } from '../../../local/run/until.ts';

/** A request that is sent exactly as it is given. */
export interface RawRequest {
  readonly method: string;
  /** Path and query, percent-encoded. */
  readonly path: string;
  readonly body?: string;
  readonly contentType?: string;
}

interface RawAnswer {
  readonly status: number;
  readonly text: string;
}

const THROTTLED = 429;

/** Signs any request as the administrator and sends it to the HTTP API. */
export async function sendSigned(
  { apiUrl, region, adminCredentials: credentials }: LocalRun,
  request: RawRequest,
): Promise<RawAnswer> {
  const signer = new SignatureV4({ service: 'execute-api', region, credentials, sha256: Sha256 });
  const url = new URL(request.path, apiUrl);
  const { headers } = await signer.sign({
    method: request.method,
    protocol: url.protocol,
    hostname: url.hostname,
    port: Number(url.port),
    path: url.pathname,
    query: Object.fromEntries(
      [...new Set(url.searchParams.keys())].map((name) => [name, url.searchParams.getAll(name)]),
    ),
    headers: { host: url.host, ...headersOf(request) },
    ...(request.body === undefined ? {} : { body: request.body }),
  });
  return send(url, request, headers);
}

/** Calls the HTTP API with the given headers, and signs nothing. */
export async function sendUnsigned(
  { apiUrl }: LocalRun,
  request: RawRequest,
  headers: Readonly<Record<string, string>> = {},
): Promise<RawAnswer> {
  return send(new URL(request.path, apiUrl), request, { ...headersOf(request), ...headers });
}

async function send(
  url: URL,
  { method, body }: RawRequest,
  headers: Readonly<Record<string, string>>,
): Promise<RawAnswer> {
  return until('an answer that is not throttled', async () => {
    const answer = await fetch(url, { method, headers, ...(body === undefined ? {} : { body }) });
    const text = await answer.text();
    // A quick machine uses up the burst of the HTTP API, which then refuses requests before any function sees them.
    return answer.status !== THROTTLED && { status: answer.status, text };
  });
}

function headersOf({ body, contentType = 'application/json' }: RawRequest): Record<string, string> {
  return body === undefined ? {} : { 'content-type': contentType };
}

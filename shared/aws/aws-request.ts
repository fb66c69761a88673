import type { IncomingMessage, RequestOptions } from 'node:http';
import { sign } from 'aws4';
import type { Clock } from '../time/clock.ts';
import { systemClock } from '../time/system-clock.ts';

/** A request to an AWS service. The body is sent byte for byte. */
export interface AwsRequest {
  /** As in the service's host name, such as `secretsmanager`. */
  readonly service: string;
  readonly method: 'GET' | 'POST' | 'PUT';
  /** Percent-encoded, without a query. */
  readonly path: string;
  /** Default: none. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Default: none. */
  readonly body?: Buffer;
}

/** A request to a service that takes JSON. `target`: the operation, such as `AWSEvents.PutEvents`. */
export function jsonRequest(service: string, target: string, input: object, version = '1.1'): AwsRequest {
  const headers = { 'Content-Type': `application/x-amz-json-${version}`, 'X-Amz-Target': target };
  return { service, method: 'POST', path: '/', headers, body: Buffer.from(JSON.stringify(input)) };
}

/**
 * Sends a request and returns the answer's body.
 *
 * @throws AwsError when the service refuses the request; otherwise the error of the connection
 */
export type SendAwsRequest = (request: AwsRequest) => Promise<Buffer>;

/** A service's refusal. Its `name` is the error's code, such as `AccessDeniedException`. */
export class AwsError extends Error {
  readonly status: number;

  constructor(request: AwsRequest, status: number, text: string) {
    const [, json, xml] = /"__type":\s*"(?:[^"#]*#)?([\w.]+)|<Code>(\w+)<\/Code>/.exec(text) ?? [];
    const name = json ?? xml ?? 'UnknownError';
    super(`${request.service} ${request.method} ${request.path} was refused: ${status} ${name}`);
    this.name = name;
    this.status = status;
  }
}

export interface AwsRequestOptions {
  /** Default: `AWS_REGION`. */
  readonly region?: string;
  /** Default: `AWS_ENDPOINT_URL` if set, otherwise the service's own host in the region. */
  readonly endpoint?: string;
  /** Default: those that Lambda sets in the environment. */
  readonly credentials?: { accessKeyId: string; secretAccessKey: string; sessionToken?: string };
  /** Milliseconds until the whole answer must be there; default 10,000. */
  readonly timeoutMs?: number;
  readonly clock?: Pick<Clock, 'sleep'>;
}

/** Like the SDK's clients of `clients.ts`. */
const MAX_ATTEMPTS = 4;
const CONNECT_TIMEOUT_MS = 2_000;
const FIRST_PAUSE_MS = 100;
/** Refusals with a status of 4xx that may pass. */
const TRANSIENT = /Throttl|TooManyRequests|RequestLimitExceeded|SlowDown|RequestTimeout/;

/**
 * Signed requests to AWS with the time limits and retries of the SDK's clients. For a function whose cold start counts:
 * loading the SDK takes several times as long as loading everything else.
 */
export function createAwsSender(options: AwsRequestOptions = {}): SendAwsRequest {
  const { clock = systemClock } = options;
  return async (request) => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await attemptOnce(request, options);
      } catch (error) {
        if (attempt === MAX_ATTEMPTS || !mayRetry(error)) throw error;
        await clock.sleep(Math.random() * FIRST_PAUSE_MS * 2 ** (attempt - 1));
      }
    }
  };
}

function mayRetry(error: unknown): boolean {
  if (!(error instanceof AwsError)) return true;
  return error.status >= 500 || error.status === 429 || TRANSIENT.test(error.name);
}

async function attemptOnce(request: AwsRequest, options: AwsRequestOptions): Promise<Buffer> {
  const { region = process.env.AWS_REGION ?? '', timeoutMs = 10_000 } = options;
  const endpoint = options.endpoint ?? process.env.AWS_ENDPOINT_URL;
  const { method, service, body } = request;
  const url = new URL(request.path, endpoint ?? `https://${service}.${region}.amazonaws.com`);
  const trace = process.env._X_AMZN_TRACE_ID;
  const headers = { ...request.headers, Host: url.host, ...(trace && { 'X-Amzn-Trace-Id': trace }) };
  const unsigned = { service, region, method, path: request.path, headers, ...(body && { body }) };
  const signed = sign(unsigned, options.credentials);
  const signal = AbortSignal.timeout(timeoutMs);
  const answer = await exchange(url, { method, headers: signed.headers ?? {}, signal }, body);
  if (answer.status >= 300) throw new AwsError(request, answer.status, answer.body.toString());
  return answer.body;
}

function exchange(
  url: URL,
  options: RequestOptions,
  body: Buffer | undefined,
): Promise<{ status: number; body: Buffer }> {
  // An import of node:http also loads Node's fetch, which is not used here.
  const http = process.getBuiltinModule(url.protocol === 'http:' ? 'node:http' : 'node:https');
  return new Promise((resolve, reject) => {
    const request = http.request(url, options, (response) => void answerOf(response).then(resolve, reject));
    const connecting = setTimeout(
      () => request.destroy(new Error(`no connection to ${url.host} within ${CONNECT_TIMEOUT_MS} ms`)),
      CONNECT_TIMEOUT_MS,
    );
    request.once('socket', (socket) => {
      if (socket.connecting) socket.once('connect', () => clearTimeout(connecting));
      else clearTimeout(connecting);
    });
    request.once('close', () => clearTimeout(connecting));
    request.once('error', reject);
    request.end(body);
  });
}

async function answerOf(response: IncomingMessage): Promise<{ status: number; body: Buffer }> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  return { status: response.statusCode ?? 0, body: Buffer.concat(chunks) };
}

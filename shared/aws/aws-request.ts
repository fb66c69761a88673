import type { IncomingMessage, RequestOptions } from 'node:http';
import aws4 from 'aws4';
import type { Clock } from '../time/clock.ts';
import { systemClock } from '../time/system-clock.ts';

/** A request to an AWS service. The body is sent byte for byte. */
export interface AwsRequest {
  /** As in the service's host name, such as `secretsmanager`. */
  readonly service: string;
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT';
  /** Percent-encoded. Only that of a presigned URL may have a query. */
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

/**
 * Sends a request and resolves when the answer's head is there. The time limit does not apply to the body, so that a large
 * object can be read as a stream. Errors as those of {@link SendAwsRequest}.
 */
export type OpenAwsRequest = (request: AwsRequest) => Promise<IncomingMessage>;

/** The path of an object of S3. */
export function objectPath(bucket: string, key: string): string {
  return `/${bucket}/${key.split('/').map(encodeURIComponent).join('/')}`;
}

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
  return (request) => retried(options, () => attemptOnce(request, options, bodyOf));
}

/** As {@link createAwsSender}, for answers whose head or stream is needed. */
export function createAwsOpener(options: AwsRequestOptions = {}): OpenAwsRequest {
  return (request) => retried(options, () => attemptOnce(request, options, async (answer) => answer));
}

/** A URL that anyone can use for `seconds`, as `request` says, whose path may have a query. Options as for requests. */
export function presignedUrl(
  { service, method, path }: Pick<AwsRequest, 'service' | 'method' | 'path'>,
  seconds: number,
  options: Pick<AwsRequestOptions, 'region' | 'endpoint' | 'credentials'> = {},
): string {
  const { region, url } = placeOf(service, options);
  const until = `${path}${path.includes('?') ? '&' : '?'}X-Amz-Expires=${seconds}`;
  const unsigned = { service, region, method, path: until, host: url.host, signQuery: true };
  return new URL(aws4.sign(unsigned, options.credentials).path ?? '', url).href;
}

async function retried<Result>(
  { clock = systemClock }: AwsRequestOptions,
  attempt: () => Promise<Result>,
): Promise<Result> {
  for (let attempts = 1; ; attempts += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (attempts === MAX_ATTEMPTS || !mayRetry(error)) throw error;
      await clock.sleep(Math.random() * FIRST_PAUSE_MS * 2 ** (attempts - 1));
    }
  }
}

function mayRetry(error: unknown): boolean {
  if (!(error instanceof AwsError)) return true;
  return error.status >= 500 || error.status === 429 || TRANSIENT.test(error.name);
}

async function attemptOnce<Result>(
  request: AwsRequest,
  options: AwsRequestOptions,
  read: (answer: IncomingMessage) => Promise<Result>,
): Promise<Result> {
  const { timeoutMs = 10_000 } = options;
  const { method, service, path, body } = request;
  const { region, url } = placeOf(service, options);
  const trace = process.env._X_AMZN_TRACE_ID;
  const unsignedHeaders = { ...request.headers, Host: url.host, ...(trace && { 'X-Amzn-Trace-Id': trace }) };
  const unsigned = { service, region, method, path, headers: unsignedHeaders, ...(body && { body }) };
  const { headers = {} } = aws4.sign(unsigned, options.credentials);
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), timeoutMs);
  try {
    const answer = await exchange(url, { method, path, headers, signal: limit.signal }, body);
    const { statusCode = 0 } = answer;
    if (statusCode >= 300) throw new AwsError(request, statusCode, (await bodyOf(answer)).toString());
    return await read(answer);
  } finally {
    clearTimeout(timer);
  }
}

function placeOf(service: string, options: AwsRequestOptions): { region: string; url: URL } {
  const { region = process.env.AWS_REGION ?? '' } = options;
  const endpoint = options.endpoint ?? process.env.AWS_ENDPOINT_URL;
  return { region, url: new URL(endpoint ?? `https://${service}.${region}.amazonaws.com`) };
}

function exchange(url: URL, options: RequestOptions, body: Buffer | undefined): Promise<IncomingMessage> {
  // An import of node:http also loads Node's fetch, which is not used here.
  const http = process.getBuiltinModule(url.protocol === 'http:' ? 'node:http' : 'node:https');
  return new Promise((resolve, reject) => {
    const request = http.request(url, options, resolve);
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

async function bodyOf(answer: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk);
  return Buffer.concat(chunks);
}

import middy from '@middy/core';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import { cutOff } from '../collections/cut-off.ts';
import { withLogKeys } from '../correlation/log-keys.ts';
import { ConnectorError } from '../errors/connector-error.ts';
import { isThrottled } from '../errors/is-throttled.ts';
import { describeError, logger, observability } from './observability.ts';

/** A request of the HTTP API. */
export interface HttpRequest {
  readonly requestId: string;
  readonly method: string;
  /** Decoded by API Gateway. */
  readonly path: string;
  /** The stack's route, such as `GET /batches/{batchId}`. */
  readonly routeKey: string;
  readonly pathParameters: Readonly<Record<string, string | undefined>>;
  readonly query: Readonly<Record<string, string | undefined>>;
  /** Query parameters that are given more than once: API Gateway has joined their values with commas. */
  readonly repeated: readonly string[];
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly rawBody: Uint8Array;
}

/** An answer: `body` is sent as JSON, `text` unchanged, with the content type in `headers`. */
export interface HttpResponse {
  readonly status: number;
  readonly body?: unknown;
  readonly text?: string;
  /** Names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** An error for the caller of the HTTP API, sent as `{error: {code, message, details?}, requestId}`. */
export class HttpError extends ConnectorError {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    code: string,
    message: string,
    {
      headers = {},
      ...options
    }: {
      details?: Record<string, unknown>;
      headers?: Readonly<Record<string, string>>;
      cause?: unknown;
    } = {},
  ) {
    super(cutOff(message), { code, ...options });
    this.status = status;
    this.headers = headers;
  }
}

/** Handler of HTTP routes. An `HttpError` becomes an answer with its status, any other error a 500. */
export function httpHandler(handle: (request: HttpRequest, context: Context) => Promise<HttpResponse>) {
  return middy<APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2>()
    .use(observability())
    .handler(async (event: APIGatewayProxyEventV2, context: Context) => {
      const { requestId } = event.requestContext;
      return withLogKeys({ apiRequestId: requestId }, async () => {
        try {
          return returnable(toResult(await handle(toRequest(event), context)));
        } catch (error) {
          return boundedError(errorResponse(error, requestId));
        }
      });
    });
}

function toRequest(event: APIGatewayProxyEventV2): HttpRequest {
  const names = [...new URLSearchParams(event.rawQueryString).keys()];
  return {
    requestId: event.requestContext.requestId,
    method: event.requestContext.http.method,
    path: event.rawPath,
    routeKey: event.routeKey,
    pathParameters: event.pathParameters ?? {},
    query: event.queryStringParameters ?? {},
    repeated: names.filter((name, index) => names.indexOf(name) !== index),
    headers: event.headers,
    rawBody: Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8'),
  };
}

interface ErrorResponse extends HttpResponse {
  readonly body: {
    readonly error: {
      readonly code: string;
      readonly message: string;
      readonly details?: Record<string, unknown>;
    };
    readonly requestId: string;
  };
}

/** A throttled table or queue accepts more after a few seconds, as AWS adds capacity. */
const TABLES_RETRY_AFTER_S = '5';
const TABLES_BUSY = 'TABLES_BUSY';

function errorResponse(error: unknown, requestId: string): ErrorResponse {
  if (error instanceof HttpError) {
    const { status, code, message, details, headers } = error;
    logger.info('request refused', { status, code, reason: message });
    return {
      status,
      headers,
      body: { error: { code, message, ...(details ? { details } : {}) }, requestId },
    };
  }
  logger.error('request failed', describeError(error));
  if (isThrottled(error)) {
    return {
      status: 503,
      headers: { 'retry-after': TABLES_RETRY_AFTER_S },
      body: {
        error: { code: TABLES_BUSY, message: 'the tables or queues take no more for now: try again' },
        requestId,
      },
    };
  }
  return { status: 500, body: { error: { code: 'INTERNAL', message: 'the request failed' }, requestId } };
}

/** Lambda's limit of an answer, in bytes of its JSON. */
const MAX_RESULT_BYTES = 6 * 1024 * 1024;
/** A body with at most this many characters is below the limit, whatever characters it has. */
const SURELY_SMALL_BODY = MAX_RESULT_BYTES / 8;

function isReturnable(result: APIGatewayProxyStructuredResultV2): boolean {
  const isSmall = (result.body ?? '').length <= SURELY_SMALL_BODY;
  return isSmall || Buffer.byteLength(JSON.stringify(result)) <= MAX_RESULT_BYTES;
}

/** @throws HttpError 400 `PAGE_TOO_LARGE`: Lambda would drop the answer, and API Gateway would give no reason */
function returnable(result: APIGatewayProxyStructuredResultV2): APIGatewayProxyStructuredResultV2 {
  if (isReturnable(result)) return result;
  throw new HttpError(
    400,
    'PAGE_TOO_LARGE',
    'the answer has more than the 6 MB that Lambda returns: ask for fewer entries, by limit',
  );
}

/** The error, without its details if they are too large to be returned. */
function boundedError({ body, ...answer }: ErrorResponse): APIGatewayProxyStructuredResultV2 {
  const result = toResult({ ...answer, body });
  if (isReturnable(result)) return result;
  const { code, message } = body.error;
  return toResult({ ...answer, body: { ...body, error: { code, message, details: { isCut: true } } } });
}

function toResult({ status, body, text, headers }: HttpResponse): APIGatewayProxyStructuredResultV2 {
  if (body === undefined) {
    return { statusCode: status, ...(headers && { headers }), ...(text !== undefined && { body: text }) };
  }
  return {
    statusCode: status,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  };
}

import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { refusalOf } from '../../../loopback/refusal.ts';
import { type LoopbackServer, listen } from '../loopback-server.ts';
import type { HttpRoute, InvocationResult, Log } from '../model.ts';
import type { Observer } from '../observer.ts';
import { type Caller, type CallerCheck, checkCaller } from './caller.ts';
import { readBody } from './read-body.ts';
import { requestEvent } from './request-event.ts';
import { type HttpResponse, ownResponse, responseOf } from './response.ts';
import { createRouter, type RouteMatch } from './routes.ts';
import { createThrottle, type Throttling } from './throttle.ts';

/** The limit of an HTTP API; the limit of a function's event is lower. */
const LARGEST_BODY_BYTES = 10 * 1024 * 1024;

export interface HttpApiOptions extends CallerCheck {
  /** 0 for any free port. */
  port: number;
  routes: readonly HttpRoute[];
  /**
   * Invokes a route's function, if the function's resource policy allows it to this API.
   *
   * @param sourceArn the API's ARN of the route: `…:execute-api:REGION:ACCOUNT:API/$default/GET/stores/{storeClientId}`
   */
  invoke(route: HttpRoute, event: unknown, sourceArn: string): Promise<InvocationResult>;
  /** Throttling of all routes together that have no throttling of their own. */
  throttling?: Throttling;
  log: Log;
  observer?: Observer;
}

interface Received {
  request: IncomingMessage;
  rawPath: string;
  rawQuery: string;
  /** Decoded. */
  path: string;
  body: Buffer;
}

/**
 * Serves an API Gateway HTTP API on loopback: its `$default` stage, Lambda integrations of payload format 2.0, IAM
 * authorization where a route has it. As in the real service, the path is decoded before it is matched, so that `%2F`
 * separates segments, and the API's own answers have the body `{"message"}`.
 */
export async function startHttpApi(options: HttpApiOptions): Promise<LoopbackServer> {
  const findRoute = createRouter(options.routes);
  const throttleOf = (throttling: Throttling | undefined) =>
    throttling === undefined ? undefined : createThrottle(throttling, options.clock);
  const ofStage = throttleOf(options.throttling) ?? (() => true);
  const ofRoutes = new Map(
    options.routes.map((route) => [route.routeKey, throttleOf(route.throttling) ?? ofStage]),
  );

  async function answer(request: IncomingMessage, requestId: string): Promise<HttpResponse> {
    const [rawPath = '/', ...query] = (request.url ?? '/').split('?');
    const path = decode(rawPath);
    const body = await readBody(request, LARGEST_BODY_BYTES);
    if (path === undefined) return ownResponse(400);
    const match = findRoute(request.method ?? 'GET', path);
    if (match === undefined) return ownResponse(404);
    if (!ofRoutes.get(match.route.routeKey)?.()) return ownResponse(429);
    if (body === undefined) return ownResponse(413);
    const received = { request, rawPath, rawQuery: query.join('?'), path, body };
    if (match.route.authorization === 'NONE') return integrate(received, match, requestId);
    // The public routes are for the internet, so a tunnel may lead to them.
    const refusal = refusalOf({ method: request.method ?? 'GET', headers: request.headers });
    if (refusal !== undefined) {
      say(request, `403: ${refusal.message}`);
      return ownResponse(403);
    }
    const caller = checkCaller(
      { ...received, method: request.method ?? 'GET', headers: request.headers },
      options,
    );
    if ('refused' in caller) {
      say(request, `403: ${caller.refused}`);
      return ownResponse(403);
    }
    return integrate(received, match, requestId, caller);
  }

  async function integrate(
    { request, rawQuery, path, body }: Received,
    match: RouteMatch,
    requestId: string,
    caller?: Caller,
  ): Promise<HttpResponse> {
    const { route } = match;
    const method = request.method ?? 'GET';
    const event = requestEvent({
      match,
      method,
      path,
      rawQuery,
      headers: request.headersDistinct,
      body,
      sourceIp: request.socket.remoteAddress ?? '',
      protocol: `HTTP/${request.httpVersion}`,
      requestId,
      accountId: options.accountId,
      apiId: options.apiId,
      time: options.clock.now(),
      ...(caller === undefined ? {} : { caller }),
    });
    const resource = route.path === '$default' ? '$default' : `${method}${route.path}`;
    const sourceArn = `arn:aws:execute-api:${options.region}:${options.accountId}:${options.apiId}/$default/${resource}`;
    const result = await within(route.timeoutMs, options.invoke(route, event, sourceArn));
    if (result === undefined) {
      say(request, `503: no answer of ${route.functionName} within ${route.timeoutMs} ms`);
      return ownResponse(503);
    }
    if (!result.ok) {
      say(request, `${route.functionName} failed: ${result.errorType}: ${result.errorMessage}`);
      return ownResponse(statusOfFailure(result.errorType));
    }
    return responseOf(result.payload) ?? ownResponse(500);
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const requestId = randomUUID();
    const { status, headers, body } = await answer(request, requestId).catch((error: unknown) => {
      say(request, String(error));
      return ownResponse(500);
    });
    response.writeHead(status, { ...headers, 'content-length': body.length, 'apigw-requestid': requestId });
    response.end(request.method === 'HEAD' ? undefined : body);
    options.observer?.call?.({ method: request.method ?? 'GET', path: pathOf(request), status });
  }

  function say(request: IncomingMessage, what: string): void {
    const message = `${request.method} ${pathOf(request)}: ${what}`;
    options.log({ time: options.clock.now(), source: 'local', stream: 'local', message });
  }

  const server = createServer((request, response) => void handle(request, response));
  return listen(server, options.port);
}

/** The path without the query: the query of a presigned URL is a credential. */
function pathOf(request: IncomingMessage): string {
  return request.url?.split('?')[0] ?? '/';
}

function decode(rawPath: string): string | undefined {
  try {
    return decodeURIComponent(rawPath);
  } catch {
    return undefined;
  }
}

/** The promise's value, or undefined when the promise takes longer. The work continues, as in a function. */
async function within<T>(milliseconds: number, promise: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const expired = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, milliseconds, undefined);
  });
  try {
    return await Promise.race([promise, expired]);
  } finally {
    clearTimeout(timer);
  }
}

function statusOfFailure(errorType: string): 413 | 500 | 503 {
  if (errorType === 'RequestEntityTooLargeException') return 413;
  return errorType === 'TooManyRequestsException' ? 503 : 500;
}

import type { HttpRequest } from '../../../shared/lambda/http-handler.ts';

/** A request as API Gateway passes it on; `body` is sent as JSON. */
export function requestTo(
  routeKey: string,
  facts: Partial<HttpRequest> & { body?: unknown } = {},
): HttpRequest {
  const { body, ...others } = facts;
  const [method = '', path = ''] = routeKey.split(' ');
  return {
    requestId: 'request-1',
    method,
    path,
    routeKey,
    pathParameters: {},
    query: {},
    repeated: [],
    headers: { 'content-type': 'application/json' },
    rawBody: Buffer.from(body === undefined ? '' : JSON.stringify(body)),
    ...others,
  };
}

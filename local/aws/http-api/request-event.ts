import type { Principal } from '../model.ts';
import type { RouteMatch } from './routes.ts';

/** The parts of a request, its route match and its caller that the event holds. */
export interface RequestEventInput {
  match: RouteMatch;
  method: string;
  /** Percent-decoded. */
  path: string;
  rawQuery: string;
  /** Every value of each header, names in lower case. */
  headers: Readonly<Record<string, readonly string[] | undefined>>;
  body: Buffer;
  sourceIp: string;
  protocol: string;
  requestId: string;
  accountId: string;
  apiId: string;
  /** Epoch milliseconds. */
  time: number;
  /** Who signed, for routes with IAM authorization. */
  caller?: { accessKeyId: string; principal: Principal };
}

/** The content types that reach a function as text; all others come base64 encoded. */
const TEXT = /^(text\/.*|application\/(json|javascript|xml))$/;

/** The event of payload format 2.0 for a request to an HTTP API's `$default` stage. */
export function requestEvent(input: RequestEventInput): Record<string, unknown> {
  const { route, pathParameters } = input.match;
  const { cookie, ...others } = input.headers;
  const headers = Object.fromEntries(
    Object.entries(others).map(([name, values]) => [name, values?.join(',')]),
  );
  const domainName = headers.host ?? '';
  return {
    version: '2.0',
    routeKey: route.routeKey,
    rawPath: input.path,
    rawQueryString: input.rawQuery,
    ...(cookie === undefined ? {} : { cookies: cookie.flatMap((line) => line.split(/;\s*/)) }),
    headers,
    ...queryOf(input.rawQuery),
    requestContext: {
      accountId: input.accountId,
      apiId: input.apiId,
      ...(input.caller === undefined ? {} : { authorizer: { iam: iamOf(input.caller, input.accountId) } }),
      domainName,
      domainPrefix: domainName.split('.')[0],
      http: {
        method: input.method,
        path: input.path,
        protocol: input.protocol,
        sourceIp: input.sourceIp,
        userAgent: headers['user-agent'] ?? '',
      },
      requestId: input.requestId,
      routeKey: route.routeKey,
      stage: '$default',
      time: logTime(input.time),
      timeEpoch: input.time,
    },
    ...(Object.keys(pathParameters).length === 0 ? {} : { pathParameters }),
    ...bodyOf(input.body, headers),
  };
}

function queryOf(rawQuery: string): object {
  const parameters = new URLSearchParams(rawQuery);
  if (parameters.size === 0) return {};
  const names = [...new Set(parameters.keys())];
  return {
    queryStringParameters: Object.fromEntries(names.map((name) => [name, parameters.getAll(name).join(',')])),
  };
}

/** A body is text by its type, unless it is compressed. */
function bodyOf(body: Buffer, headers: Readonly<Record<string, string | undefined>>): object {
  if (body.length === 0) return { isBase64Encoded: false };
  const mediaType = headers['content-type']?.split(';')[0]?.trim().toLowerCase() ?? '';
  const isBase64Encoded = !TEXT.test(mediaType) || headers['content-encoding'] !== undefined;
  return { body: body.toString(isBase64Encoded ? 'base64' : 'utf8'), isBase64Encoded };
}

function iamOf(
  { accessKeyId, principal }: { accessKeyId: string; principal: Principal },
  accountId: string,
): object {
  return {
    accessKey: accessKeyId,
    accountId,
    callerId: principal.userId,
    cognitoIdentity: null,
    principalOrgId: null,
    userArn: principal.sessionArn,
    userId: principal.userId,
  };
}

/** `21/Nov/2026:12:00:00 +0000`, the time of the Common Log Format. */
function logTime(time: number): string {
  const [, day, month, year, clock] = new Date(time).toUTCString().split(' ');
  return `${day}/${month}/${year}:${clock} +0000`;
}

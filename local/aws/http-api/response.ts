import * as z from 'zod';

export interface HttpResponse {
  status: number;
  headers: Record<string, string | string[]>;
  body: Buffer;
}

/** A response of payload format 2.0, which has a status code. */
const FunctionResponse = z.looseObject({
  statusCode: z.coerce.number().int().min(100).max(599),
  headers: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).nullish(),
  cookies: z.array(z.string()).nullish(),
  body: z.string().nullish(),
  isBase64Encoded: z.boolean().nullish(),
});

/** Headers that the server sets, whatever the function returns. */
const OWN_HEADERS = new Set(['connection', 'content-length', 'date', 'keep-alive', 'transfer-encoding']);

/**
 * The HTTP response for the value that a function returned: the response that it describes, or 200 with the value as
 * JSON when it has no status code.
 *
 * @returns undefined when the value describes a response that can't be sent; the caller then sees an internal error
 */
export function responseOf(returned: unknown): HttpResponse | undefined {
  if (typeof returned !== 'object' || returned === null || !('statusCode' in returned)) {
    const text = typeof returned === 'string' ? returned : JSON.stringify(returned);
    return { status: 200, headers: { 'content-type': 'application/json' }, body: Buffer.from(text) };
  }
  const parsed = FunctionResponse.safeParse(returned);
  if (!parsed.success) return undefined;
  const { statusCode, headers, cookies, body, isBase64Encoded } = parsed.data;
  const sent: HttpResponse['headers'] = { 'content-type': 'text/plain;charset=UTF-8' };
  for (const [name, value] of Object.entries(headers ?? {})) {
    if (!OWN_HEADERS.has(name.toLowerCase())) sent[name.toLowerCase()] = String(value);
  }
  if (cookies && cookies.length > 0) sent['set-cookie'] = cookies;
  return {
    status: statusCode,
    headers: sent,
    body: Buffer.from(body ?? '', isBase64Encoded ? 'base64' : 'utf8'),
  };
}

const MESSAGES = {
  400: 'Bad Request',
  403: 'Forbidden',
  404: 'Not Found',
  413: 'Request Entity Too Large',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
} as const;

/** An answer of the HTTP API itself. */
export function ownResponse(status: keyof typeof MESSAGES): HttpResponse {
  const body = Buffer.from(JSON.stringify({ message: MESSAGES[status] }));
  return { status, headers: { 'content-type': 'application/json' }, body };
}

import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { isoTime } from '../clock.ts';
import type { ApiError } from '../errors.ts';
import type { Fault } from '../state/faults.ts';
import type { Answer } from './answers.ts';
import { excerpt } from './contents.ts';
import type { ApiEnv } from './exchange.ts';

interface Moment {
  /** The server's clock, epoch ms. */
  serverNow: number;
  durationMs: number;
}

/** An endpoint's answer as a response, in its envelope. */
export function respond(c: Context<ApiEnv>, answer: Answer, moment: Moment): Response {
  if (answer.kind === 'bare') return json(c, answer.body);
  if (answer.kind === 'pdf') {
    c.get('exchange').contents.answer = `${answer.fileName}: a PDF of ${answer.bytes.length} bytes`;
    return c.body(Buffer.from(answer.bytes), 200, {
      'content-type': 'application/pdf',
      'content-disposition': `attachment; filename="${answer.fileName}"`,
    });
  }
  const { kind: _, message, data, dispatch, ...rest } = answer;
  const timestamp = isoTime(moment.serverNow);
  const meta = { timestamp, durationMs: moment.durationMs, ...(dispatch === undefined ? {} : { dispatch }) };
  return json(c, { success: true, message, requestId: c.get('exchange').requestId, meta, data, ...rest });
}

/** A refusal in the standard error envelope. */
export function respondError(c: Context<ApiEnv>, error: ApiError, moment: Moment): Response {
  const exchange = c.get('exchange');
  exchange.errorCode = error.code;
  const body = errorEnvelope(error, exchange.requestId, moment);
  return json(c, body, error.status as ContentfulStatusCode, error.headers);
}

function json(
  c: Context<ApiEnv>,
  value: unknown,
  status: ContentfulStatusCode = 200,
  headers: Record<string, string> = {},
): Response {
  const body = JSON.stringify(value);
  c.get('exchange').contents.answer = excerpt(body);
  return c.body(body, status, { ...headers, 'content-type': 'application/json' });
}

/** The standard error envelope of a refusal. */
export function errorEnvelope(
  { code, message, hint, context }: ApiError,
  requestId: string,
  { serverNow }: Pick<Moment, 'serverNow'>,
) {
  const details = {
    timestamp: isoTime(serverNow),
    ...(hint === undefined ? {} : { hint }),
    ...(context === undefined ? {} : { context }),
  };
  return { success: false, error: { code, message, details }, requestId };
}

/** Bytes that make any answer longer than 10 MiB. */
const OVERSIZED_BYTES = 10 * 1024 * 1024 + 1;

/**
 * Applies a fault to a response. Removes the first half of its body, so that the body is neither JSON nor a PDF, changes the content
 * type, or makes the body too long.
 */
export async function withFault(
  c: Context<ApiEnv>,
  response: Response,
  { malformed, oversized, contentType }: Pick<Fault, 'malformed' | 'oversized' | 'contentType'>,
): Promise<Response> {
  if (!malformed && !oversized && contentType === undefined) return response;
  const whole = Buffer.from(await response.arrayBuffer());
  const body = malformed ? whole.subarray(Math.ceil(whole.length / 2)) : whole;
  const headers = new Headers(response.headers);
  headers.delete('content-length');
  if (contentType !== undefined) headers.set('content-type', contentType);
  c.get('exchange').contents.answer = excerpt(body);
  const padding = Buffer.alloc(oversized ? OVERSIZED_BYTES : 0, ' ');
  return new Response(Buffer.concat([body, padding]), { status: response.status, headers });
}

import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { isoTime } from '../clock.ts';
import type { ApiError } from '../errors.ts';
import type { Fault } from '../state/faults.ts';
import type { Answer } from './answers.ts';
import type { ApiEnv } from './exchange.ts';

interface Moment {
  /** The server's clock, epoch ms. */
  serverNow: number;
  durationMs: number;
}

/** An endpoint's answer as a response, in its envelope. */
export function respond(c: Context<ApiEnv>, answer: Answer, moment: Moment): Response {
  if (answer.kind === 'bare') return c.json(answer.body);
  if (answer.kind === 'pdf') {
    return c.body(Buffer.from(answer.bytes), 200, {
      'content-type': 'application/pdf',
      'content-disposition': `attachment; filename="${answer.fileName}"`,
    });
  }
  const { kind: _, message, data, dispatch, ...rest } = answer;
  const timestamp = isoTime(moment.serverNow);
  const meta = { timestamp, durationMs: moment.durationMs, ...(dispatch === undefined ? {} : { dispatch }) };
  return c.json({ success: true, message, requestId: c.get('exchange').requestId, meta, data, ...rest });
}

/** A refusal in the standard error envelope. */
export function respondError(c: Context<ApiEnv>, error: ApiError, moment: Moment): Response {
  const exchange = c.get('exchange');
  exchange.errorCode = error.code;
  const body = errorEnvelope(error, exchange.requestId, moment);
  return c.json(body, error.status as ContentfulStatusCode, error.headers);
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

/** How much longer than 10 MiB an answer becomes, at least. */
const OVERSIZED_BYTES = 10 * 1024 * 1024 + 1;

/**
 * The response as a fault wants it: with the first half of its body missing, so that it is neither JSON nor a PDF any
 * more; under another content type; or too long.
 */
export async function disfigured(
  response: Response,
  { malformed, oversized, contentType }: Pick<Fault, 'malformed' | 'oversized' | 'contentType'>,
): Promise<Response> {
  if (!malformed && !oversized && contentType === undefined) return response;
  const whole = Buffer.from(await response.arrayBuffer());
  const body = malformed ? whole.subarray(Math.ceil(whole.length / 2)) : whole;
  const headers = new Headers(response.headers);
  headers.delete('content-length');
  if (contentType !== undefined) headers.set('content-type', contentType);
  const padding = Buffer.alloc(oversized ? OVERSIZED_BYTES : 0, ' ');
  return new Response(Buffer.concat([body, padding]), { status: response.status, headers });
}

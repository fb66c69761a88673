import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { isoTime } from '../clock.ts';
import type { ApiError } from '../errors.ts';
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
  const details = {
    timestamp: isoTime(moment.serverNow),
    ...(error.hint === undefined ? {} : { hint: error.hint }),
    ...(error.context === undefined ? {} : { context: error.context }),
  };
  const body = {
    success: false,
    error: { code: error.code, message: error.message, details },
    requestId: exchange.requestId,
  };
  return c.json(body, error.status as ContentfulStatusCode, error.headers);
}

/** The same response with the first half of its body missing: neither JSON nor a PDF any more. */
export async function malformed(response: Response): Promise<Response> {
  const body = Buffer.from(await response.arrayBuffer());
  const headers = new Headers(response.headers);
  headers.delete('content-length');
  return new Response(body.subarray(Math.ceil(body.length / 2)), { status: response.status, headers });
}

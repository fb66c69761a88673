import { z } from 'zod';
import { parseJson } from '../collections/parse-json.ts';
import {
  clientErrorCodes,
  type ErrorEnvelope,
  errorEnvelope,
  MarketplaceError,
  type Outcome,
} from './errors.ts';
import { type OpenResponse, readWhole, type TransportResponse } from './transport.ts';

/** Reads an answer, as it comes, into an endpoint's result. @throws {MarketplaceError} when it is a failure. */
export type AnswerReader<Answer> = (response: OpenResponse) => Promise<Answer>;

/** `meta` of an answer (§1). */
const meta = z.looseObject({
  timestamp: z.string().optional().catch(undefined),
  /** Milliseconds. */
  durationMs: z.number().optional().catch(undefined),
  /** Whether events were dispatched (§6). */
  dispatch: z.boolean().optional().catch(undefined),
});

/**
 * The standard success envelope around `data` (§1). Only `data` is insisted on: what else is missing does no harm.
 *
 * @param data schema of the endpoint's own data.
 */
export function envelope<Data extends z.ZodType>(data: Data) {
  return z.looseObject({
    success: z.boolean().optional(),
    message: z.string().optional().catch(undefined),
    requestId: z.string().optional().catch(undefined),
    meta: meta.optional().catch(undefined),
    data,
  });
}

/** Codes after which the same request may succeed (§7), and whether it may have been applied. */
const KNOWN_RETRYABLE: Readonly<Record<string, Outcome>> = {
  SYS_DEP_503: 'refused',
  /** The upstream that timed out may have done the work. */
  SYS_UPS_001: 'unknown',
};

/** Codes of §7 that stay true until something changes, whatever the status they come with. */
const KNOWN_FINAL =
  /^(AUTH_0(03|10|11|14)|VAL_001|PRD_0(02|14|16)|INV_00[12]|WAREHOUSE_013|STORE_02[01]|ORDER_02[16])$/;

/** Statuses of a request that was surely not handled although it did not reach a verdict of its own. */
const REFUSED_REDIRECTS = new Set([301, 307, 308]);

/**
 * Makes a reader of JSON answers.
 *
 * @param schema shape of the whole body.
 */
export function json<Schema extends z.ZodType>(schema: Schema): AnswerReader<z.infer<Schema>> {
  return async (open) => {
    const response = await readWhole(open);
    const body = refuseFailure(response);
    if (body === undefined) throw notJson(response);
    const result = schema.safeParse(body);
    if (result.success) return result.data;
    const where = z.prettifyError(result.error);
    throw unusable(response, clientErrorCodes.answerUnexpected, `The answer is not as specified: ${where}`);
  };
}

/**
 * Throws if the response is a failure: an error envelope with any status (§1), or a status outside 2xx.
 *
 * @returns the body as JSON, `undefined` if it is not JSON.
 */
export function refuseFailure(response: TransportResponse): unknown {
  const body = jsonOf(response);
  const envelope = errorEnvelope.safeParse(body).data;
  if (envelope) throw failureOf(response, envelope);
  const { status } = response;
  if (status >= 300 && status < 400) throw redirected(response);
  if (status < 200 || status >= 400) throw failureOf(response);
  return body;
}

/** An answer that came whole and can't be used: what it was the answer to may have been applied. */
export function unusable(
  { status }: Pick<TransportResponse, 'status'>,
  code: string,
  message: string,
): MarketplaceError {
  return new MarketplaceError({ code, message, status, outcome: 'unknown', retryable: false });
}

/** A failure by its code where it has one, by its status else. */
function failureOf(response: TransportResponse, envelope?: ErrorEnvelope): MarketplaceError {
  const { status, headers } = response;
  const { code = `HTTP_${status}`, message, details } = envelope?.error ?? {};
  const isFinal = KNOWN_FINAL.test(code);
  // 408 and 5xx say that handling had begun or may have.
  const isOpen = status === 408 || status >= 500;
  const mayRetry = !isFinal && (code in KNOWN_RETRYABLE || isOpen || status === 429);
  return new MarketplaceError({
    code,
    message: message ?? (envelope ? code : `The marketplace answered ${status} without an error envelope`),
    status,
    outcome: isFinal ? 'refused' : (KNOWN_RETRYABLE[code] ?? (isOpen ? 'unknown' : 'refused')),
    retryable: details?.context?.retryable ?? mayRetry,
    requestId: envelope?.requestId,
    hint: details?.hint,
    context: details?.context,
    retryAfterMs: retryAfterMs(headers['retry-after']?.trim()),
  });
}

function redirected({ status, headers }: TransportResponse): MarketplaceError {
  return new MarketplaceError({
    code: clientErrorCodes.redirected,
    message: `The marketplace answered ${status}, a redirect to ${headers.location ?? 'nowhere'}, which is not followed`,
    status,
    outcome: REFUSED_REDIRECTS.has(status) ? 'refused' : 'unknown',
    retryable: false,
  });
}

function notJson(response: TransportResponse): MarketplaceError {
  if (response.body.length === 0) {
    return unusable(response, clientErrorCodes.answerEmpty, 'The answer has no body');
  }
  const type = response.headers['content-type'] ?? 'no content type';
  return unusable(response, clientErrorCodes.answerNotJson, `The answer is not JSON (${type})`);
}

/** The body as JSON; `undefined` when its content type or its content is another. */
function jsonOf({ headers, body }: TransportResponse): unknown {
  if (!isJson(headers['content-type'])) return undefined;
  return parseJson(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8'));
}

/** Where the content type is missing, the content decides. */
function isJson(contentType = 'application/json'): boolean {
  return /^application\/([\w.+-]+\+)?json\s*(;|$)/i.test(contentType);
}

/** `Retry-After` in its form in seconds, as milliseconds; the date form is left to the caller's own backoff. */
function retryAfterMs(seconds = ''): number | undefined {
  return /^\d{1,9}$/.test(seconds) ? Number(seconds) * 1000 : undefined;
}

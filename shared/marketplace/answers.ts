import * as z from 'zod';
import { cutOff } from '../collections/cut-off.ts';
import { parseJson } from '../collections/parse-json.ts';
import { type ErrorEnvelope, errorEnvelope } from './error-envelope.ts';
import { clientErrorCodes, MarketplaceError, type Outcome } from './errors.ts';
import { answerMeta, MOST_FAULTS } from './fields.ts';
import type { OpenResponse, TransportResponse } from './transport.ts';

/** Turns a streamed answer into an endpoint's result. @throws {MarketplaceError} when the answer is a failure. */
export type AnswerReader<Answer> = (response: OpenResponse) => Promise<Answer>;

export async function readWhole({ body, ...head }: OpenResponse): Promise<TransportResponse> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return { ...head, body: Buffer.concat(chunks) };
}

/**
 * The standard success envelope around `data` (§1). Only `data` is required: the client needs nothing else.
 *
 * @param data schema of the endpoint's own data.
 */
export function envelope<Data extends z.ZodType>(data: Data) {
  return z.looseObject({
    success: z.literal(true).optional(),
    message: z.string().optional().catch(undefined),
    requestId: z.string().optional().catch(undefined),
    meta: answerMeta,
    data,
  });
}

/** Codes after which the same request may succeed later (§7), with the outcome of the failed one. */
const KNOWN_RETRYABLE: ReadonlyMap<string, Outcome> = new Map([
  ['SYS_DEP_503', 'refused'],
  // An upstream timed out, but may still have done the work.
  ['SYS_UPS_001', 'unknown'],
]);

/** Codes of §7 after which the same request fails again, whatever the status. */
const KNOWN_FINAL =
  /^(AUTH_0(03|10|11|14)|VAL_001|PRD_0(02|14|16)|INV_00[12]|WAREHOUSE_013|STORE_02[01]|ORDER_02[16])$/;

/** Redirects that show that the request was not handled. */
const REFUSED_REDIRECTS = new Set([301, 307, 308]);

/**
 * Makes a reader of JSON answers.
 *
 * @param schema shape of the whole body.
 */
export function json<Schema extends z.ZodType>(schema: Schema): AnswerReader<z.infer<Schema>> {
  return async (open) => {
    const response = await readWhole(open);
    const body = successBody(response);
    if (body === undefined) throw notJson(response);
    const result = schema.safeParse(body);
    if (result.success) return result.data;
    const message = `The answer is not as specified: ${faultsOf(result.error)}`;
    throw unusable(response, clientErrorCodes.answerUnexpected, message);
  };
}

/** The message of an error quotes at most this many characters of the faults of an answer. */
const MAX_FAULTS_LENGTH = 900;
/** The message of an error quotes at most this many characters of a header. */
const MAX_HEADER_LENGTH = 200;

function faultsOf({ issues }: z.ZodError): string {
  const named = cutOff(z.prettifyError({ issues: issues.slice(0, MOST_FAULTS) }), MAX_FAULTS_LENGTH);
  return issues.length < MOST_FAULTS ? named : `${named}\nand perhaps more`;
}

/** A header as an error quotes it. */
export function quotedHeader(headers: TransportResponse['headers'], name: string): string {
  const value = headers[name];
  return value === undefined ? `no ${name.replace('-', ' ')}` : cutOff(value, MAX_HEADER_LENGTH);
}

/**
 * The JSON body of a successful response; `undefined` if it is not JSON, by its content type or by its content.
 *
 * @throws {MarketplaceError} for an error envelope with any status (§1), or a status outside 2xx.
 */
export function successBody(response: TransportResponse): unknown {
  const body = parsedBody(response);
  // The content type is not checked: some servers send an error with the content type of the requested document.
  const envelope = errorEnvelope.safeParse(body).data;
  if (envelope) throw failureOf(response, envelope);
  const { status, headers } = response;
  if (status >= 300 && status < 400) throw redirected(response);
  if (status < 200 || status >= 400) throw failureOf(response);
  return isJson(headers['content-type']) ? body : undefined;
}

/** The error for a complete answer that can't be used. Its request may have been applied. */
export function unusable(
  { status }: Pick<TransportResponse, 'status'>,
  code: string,
  message: string,
): MarketplaceError {
  return new MarketplaceError({ code, message, status, outcome: 'unknown', retryable: false });
}

/** Judges a failure by its code, or by its status if it has no code. */
function failureOf(response: TransportResponse, envelope?: ErrorEnvelope): MarketplaceError {
  const { status, headers } = response;
  const { code = `HTTP_${status}`, message, details } = envelope?.error ?? {};
  const isFinal = KNOWN_FINAL.test(code);
  const mayBeApplied = status === 408 || status >= 500;
  const mayPass = KNOWN_RETRYABLE.has(code) || mayBeApplied || status === 429;
  return new MarketplaceError({
    code,
    message: message ?? (envelope ? code : `The marketplace answered ${status} without an error envelope`),
    status,
    outcome: isFinal ? 'refused' : (KNOWN_RETRYABLE.get(code) ?? (mayBeApplied ? 'unknown' : 'refused')),
    retryable: !isFinal && (details?.context?.retryable ?? mayPass),
    requestId: envelope?.requestId,
    timestamp: details?.timestamp,
    hint: details?.hint,
    context: details?.context,
    retryAfterMs: retryAfterMs(headers),
  });
}

function redirected({ status, headers }: TransportResponse): MarketplaceError {
  return new MarketplaceError({
    code: clientErrorCodes.redirected,
    message: `The marketplace answered ${status}, a redirect to ${quotedHeader(headers, 'location')}, which is not followed`,
    status,
    outcome: REFUSED_REDIRECTS.has(status) ? 'refused' : 'unknown',
    retryable: false,
  });
}

function notJson(response: TransportResponse): MarketplaceError {
  if (response.body.length === 0) {
    return unusable(response, clientErrorCodes.answerEmpty, 'The answer has no body');
  }
  const type = quotedHeader(response.headers, 'content-type');
  return unusable(response, clientErrorCodes.answerNotJson, `The answer is not JSON (${type})`);
}

/** `undefined` when the content is not JSON. */
function parsedBody({ body }: TransportResponse): unknown {
  return parseJson(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8'));
}

/** A missing content type counts as JSON, as the content is parsed anyway. */
function isJson(contentType = 'application/json'): boolean {
  return /^application\/([\w.+-]+\+)?json\s*(;|$)/i.test(contentType);
}

/**
 * A date of HTTP, such as `Sun, 06 Nov 1994 08:49:37 GMT`. The year has at most four digits, so that a time after the date is a valid
 * date too.
 */
const HTTP_DATE = /^[A-Z][a-z]+, \d\d[ -][A-Z][a-z]{2}[ -]\d{2,4} /;

/**
 * Time of a `Retry-After` in seconds, or of its date form after the answer's own `Date`. Any other form is ignored, and the caller's
 * back-off applies.
 */
function retryAfterMs(headers: TransportResponse['headers']): number | undefined {
  const given = headers['retry-after']?.trim() ?? '';
  if (/^\d{1,9}$/.test(given)) return Number(given) * 1000;
  const ms = HTTP_DATE.test(given) ? Date.parse(given) - Date.parse(headers.date ?? '') : Number.NaN;
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

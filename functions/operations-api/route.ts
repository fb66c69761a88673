import { isUtf8 } from 'node:buffer';
import * as z from 'zod';
import { parseJson } from '../../shared/collections/parse-json.ts';
import { repeatedMembers } from '../../shared/collections/repeated-members.ts';
import { inputErrors } from '../../shared/errors/input-errors.ts';
import { HttpError, type HttpRequest, type HttpResponse } from '../../shared/lambda/http-handler.ts';
import { errorAnswer } from './errors.ts';

/** Input and answers of a route. */
interface RouteDescription {
  readonly summary?: string;
  readonly path?: z.ZodType;
  readonly query?: z.ZodType;
  readonly body?: z.ZodType;
  /** Schema of the answer's body, or text, by status. */
  readonly answers: Readonly<Record<number, z.ZodType>>;
  /** Media type of an answer that is not JSON. */
  readonly mediaType?: string;
}

export interface DescribedRoute {
  /** `GET /batches/{batchId}` */
  readonly key: string;
  readonly description: RouteDescription;
}

/** A route of the operations API, by its key in the stack. */
export interface Route extends DescribedRoute {
  readonly handle: (request: HttpRequest) => Promise<HttpResponse>;
}

interface RouteSchemas<P, Q, B> extends RouteDescription {
  readonly path?: z.ZodType<P>;
  readonly query?: z.ZodType<Q>;
  readonly body?: z.ZodType<B>;
  /** Default: a body that fits into a queue message. */
  readonly maxBodyBytes?: number;
}

const noQuery = z.strictObject({});
/** `{}` is allowed: some clients send it with every `POST`. */
const emptyBody = z.strictObject({}).optional();

/** A whole number of a query, in digits. Coercion would read an empty parameter as 0, and `0x10` as 16. */
export function wholeNumber(schema: z.ZodType<number>) {
  return writtenNumber(/^\d+$/, schema);
}

/** A number of a query, in digits, with a dot before decimals. */
export function decimalNumber(schema: z.ZodType<number>) {
  return writtenNumber(/^\d+(\.\d+)?$/, schema);
}

function writtenNumber(form: RegExp, schema: z.ZodType<number>) {
  return z.preprocess((given) => {
    if (typeof given !== 'string') return given;
    return form.test(given) ? Number(given) : Number.NaN;
  }, schema);
}

/** An ID that a caller gives: of a store, an order, a command, a file. */
export const idSchema = z.string().min(1).max(200);

/** Query parameters of every list: entries per page, and the cursor of the previous page. */
export const pageQuery = {
  limit: wholeNumber(z.int().min(1).max(1000).default(50)),
  cursor: z.string().min(1).optional(),
};

/** Answer of every list: a page of entries, with a `cursor` if there is a next page. */
export function pageOf<Shape extends z.ZodRawShape>(entries: Shape) {
  return z.object({ ...entries, cursor: z.string().optional() });
}

/** Default limit of a body in bytes. With the event around it, such a body fits into a queue message. */
const MAX_EVENT_BODY_BYTES = 1_000_000;

const JSON_TYPE = /^application\/([\w.+-]+\+)?json\s*(;|$)/i;
/** The content type that curl sends by default. */
const CURL_DEFAULT_TYPE = /^application\/x-www-form-urlencoded\s*(;|$)/i;

interface RouteInput<P, Q, B> {
  readonly path: P;
  readonly query: Q;
  readonly body: B;
  readonly requestId: string;
}

/** Makes a route with one status, the one in `answers`. `handle` returns the answer's body. See {@link rawRoute}. */
export function route<P = undefined, Q = undefined, B = undefined>(
  key: string,
  schemas: RouteSchemas<P, Q, B>,
  handle: (input: RouteInput<P, Q, B>) => Promise<unknown>,
): Route {
  const [status] = Object.keys(schemas.answers).map(Number);
  if (status === undefined) throw new Error(`${key} has no answer`);
  return rawRoute(key, schemas, async (input) => ({ status, body: await handle(input) }));
}

/**
 * Makes a route whose `handle` sets the status. Path parameters, query and body are checked before `handle` gets them. An
 * answer that breaks the schema of its status fails with 500. Errors of `handle` are mapped for the caller.
 */
export function rawRoute<P = undefined, Q = undefined, B = undefined>(
  key: string,
  schemas: RouteSchemas<P, Q, B>,
  handle: (input: RouteInput<P, Q, B>) => Promise<HttpResponse>,
): Route {
  return {
    key,
    description: schemas,
    handle: async (request) => {
      const input = {
        path: check(schemas.path, request.pathParameters, 'path'),
        query: check<unknown>(schemas.query ?? noQuery, queryOf(request), 'query') as Q,
        body: check<unknown>(schemas.body ?? emptyBody, bodyOf(schemas, request), 'body') as B,
        requestId: request.requestId,
      };
      try {
        return checkedAnswer(schemas, await handle(input));
      } catch (error) {
        throw errorAnswer(error, request);
      }
    },
  };
}

function checkedAnswer({ answers }: RouteDescription, answer: HttpResponse): HttpResponse {
  const schema = answers[answer.status] ?? z.never();
  if (answer.text === undefined) return { ...answer, body: schema.parse(answer.body) };
  schema.parse(answer.text);
  return answer;
}

/** @throws HttpError 400 `REQUEST_INVALID` for a parameter that is given more than once */
function queryOf({ query, repeated: [repeated] }: HttpRequest): HttpRequest['query'] {
  if (repeated === undefined) return query;
  throw givenOnce(`query.${repeated}`);
}

/** An empty body counts as absent if the schema allows that. */
function bodyOf(
  { body: schema = emptyBody, maxBodyBytes }: RouteSchemas<unknown, unknown, unknown>,
  request: HttpRequest,
): unknown {
  if (request.rawBody.byteLength === 0 && schema.safeParse(undefined).success) return undefined;
  return readJsonBody(request, maxBodyBytes);
}

/** @throws HttpError 400 `REQUEST_INVALID` that names the field, the rule and all allowed values */
function check<T>(schema: z.ZodType<T> | undefined, value: unknown, where: string): T {
  const parsed = (schema ?? z.unknown()).safeParse(value, { error: inputErrors });
  if (parsed.success) return parsed.data as T;
  const [issue] = parsed.error.issues;
  const field = [where, ...(issue?.path ?? []).map(String)].join('.');
  throw new HttpError(400, 'REQUEST_INVALID', `${field}: ${issue?.message ?? 'not valid'}`, {
    details: { field },
  });
}

/**
 * Reads a request's body of at most `maxBytes` as JSON.
 *
 * @throws HttpError 413 `BODY_TOO_LARGE`, 415 `CONTENT_TYPE_UNKNOWN`, 400 `BODY_NOT_JSON`, `REQUEST_INVALID` for a member that is given twice
 */
function readJsonBody(
  { rawBody, headers }: Pick<HttpRequest, 'rawBody' | 'headers'>,
  maxBytes = MAX_EVENT_BODY_BYTES,
): unknown {
  if (rawBody.byteLength > maxBytes) {
    throw new HttpError(413, 'BODY_TOO_LARGE', `the body has more than ${maxBytes} bytes`);
  }
  const type = headers['content-type'] ?? 'application/json';
  const text = textOf(rawBody);
  const body = parseJson(text);
  const isTaken = JSON_TYPE.test(type) || (CURL_DEFAULT_TYPE.test(type) && body !== undefined);
  if (!isTaken) throw new HttpError(415, 'CONTENT_TYPE_UNKNOWN', 'the content type is not application/json');
  if (body === undefined)
    throw new HttpError(
      400,
      'BODY_NOT_JSON',
      'the body is not JSON in UTF-8, or nests more than 100 levels deep',
    );
  const [repeated] = repeatedMembers(text, body);
  if (repeated !== undefined) throw givenOnce(['body', ...repeated].join('.'));
  return body;
}

function givenOnce(field: string): HttpError {
  return new HttpError(400, 'REQUEST_INVALID', `${field}: must be given once`, { details: { field } });
}

/**
 * The body's text; empty if the body is not UTF-8. Another encoding would be read with replacement characters, so that a SKU could become
 * that of another product. If the content type says that the body is text, API Gateway has already put such characters in.
 */
function textOf(rawBody: Uint8Array): string {
  const text = Buffer.from(rawBody).toString('utf8');
  return isUtf8(rawBody) && !text.includes('\uFFFD') ? text : '';
}

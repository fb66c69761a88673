import { z } from 'zod';
import { HttpError, type HttpRequest, type HttpResponse } from '../../shared/lambda/http-handler.ts';
import { errorAnswer } from './error-answer.ts';
import { readJsonBody } from './read-json-body.ts';

/** What a route takes and answers, for those who call it and for the OpenAPI document. */
export interface RouteDescription {
  /** What it does, in a line. */
  readonly summary?: string;
  readonly path?: z.ZodType;
  readonly query?: z.ZodType;
  readonly body?: z.ZodType;
  /** Default: what fits one queue message, see `readJsonBody`. */
  readonly maxBodyBytes?: number;
  /** Schema of the answer's body, or text, by status; an answer that breaks it, or has none, is an error of ours. */
  readonly answers: Readonly<Record<number, z.ZodType>>;
  /** Of an answer that is no JSON. */
  readonly mediaType?: string;
}

/** A route of the operations API: its key as the stack declares it, and what answers it. */
export interface Route {
  /** `GET /batches/{batchId}` */
  readonly key: string;
  readonly description: RouteDescription;
  readonly handle: (request: HttpRequest) => Promise<HttpResponse>;
}

interface RouteSchemas<P, Q, B> extends RouteDescription {
  readonly path?: z.ZodType<P>;
  readonly query?: z.ZodType<Q>;
  readonly body?: z.ZodType<B>;
}

const noQuery = z.strictObject({});

/**
 * Makes a route whose path parameters, query and body are checked before `handle` sees them, and whose answer is
 * checked before the caller does. What `handle` throws becomes an error that the caller can act on.
 */
export function route<P = undefined, Q = undefined, B = undefined>(
  key: string,
  schemas: RouteSchemas<P, Q, B>,
  handle: (input: { path: P; query: Q; body: B; requestId: string }) => Promise<HttpResponse>,
): Route {
  return {
    key,
    description: schemas,
    handle: async (request) => {
      const input = {
        path: check(schemas.path, request.pathParameters, 'path'),
        query: check<unknown>(schemas.query ?? noQuery, request.query, 'query') as Q,
        body: check(schemas.body, bodyOf(schemas, request), 'body'),
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

/** An empty body counts as left out where the schema takes that. */
function bodyOf({ body: schema, maxBodyBytes }: RouteDescription, request: HttpRequest): unknown {
  if (schema === undefined) return undefined;
  if (request.rawBody.byteLength === 0 && schema.safeParse(undefined).success) return undefined;
  return readJsonBody(request, maxBodyBytes);
}

/** @throws HttpError 400 `REQUEST_INVALID` that names the field and the rule */
function check<T>(schema: z.ZodType<T> | undefined, value: unknown, where: string): T {
  const parsed = (schema ?? z.unknown()).safeParse(value);
  if (parsed.success) return parsed.data as T;
  const [issue] = parsed.error.issues;
  const field = [where, ...(issue?.path ?? []).map(String)].join('.');
  throw new HttpError(400, 'REQUEST_INVALID', `${field}: ${issue?.message ?? 'not valid'}`, {
    details: { field },
  });
}

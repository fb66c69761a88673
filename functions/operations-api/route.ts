import { z } from 'zod';
import { HttpError, type HttpRequest, type HttpResponse } from '../../shared/lambda/http-handler.ts';

/** A route of the operations API: its key as the stack declares it, and what answers it. */
export interface Route {
  /** `GET /batches/{batchId}` */
  readonly key: string;
  readonly handle: (request: HttpRequest) => Promise<HttpResponse>;
}

/** Schemas of what a route takes; what is not named is not looked at. */
interface RouteSchemas<P, Q, B> {
  readonly path?: z.ZodType<P>;
  readonly query?: z.ZodType<Q>;
  readonly body?: z.ZodType<B>;
}

/** Makes a route whose path parameters, query and body are checked before `handle` sees them. */
export function route<P = undefined, Q = undefined, B = undefined>(
  key: string,
  schemas: RouteSchemas<P, Q, B>,
  handle: (input: { path: P; query: Q; body: B; requestId: string }) => Promise<HttpResponse>,
): Route {
  return {
    key,
    handle: async (request) =>
      handle({
        path: check(schemas.path, request.pathParameters, 'path'),
        query: check(schemas.query, request.query, 'query'),
        body: check(schemas.body, schemas.body === undefined ? undefined : readJson(request.rawBody), 'body'),
        requestId: request.requestId,
      }),
  };
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

function readJson(rawBody: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(rawBody).toString('utf8'));
  } catch {
    throw new HttpError(400, 'BODY_NOT_JSON', 'the body is not JSON');
  }
}

import * as z from 'zod';
import { toDotPath } from 'zod/v4/core';
import { clientErrorCodes, MarketplaceError } from './errors.ts';
import { MOST_FAULTS } from './fields.ts';

/** A store's credentials: its public ID and its token (§5). */
export interface StoreCredentials {
  readonly storeClientId: string;
  readonly storeToken: string;
}

/** Whose credentials a call carries: none (brand search), the partner's, or a store's (§5). */
type Caller = 'anyone' | 'partner' | StoreCredentials;

export interface RequestDescription {
  readonly method: 'GET' | 'POST' | 'PATCH';
  /** Path below `/api/v1` with encoded parameters (see {@link path}). */
  readonly path: string;
  readonly as: Caller;
  readonly query?: { readonly schema: z.ZodType<Query>; readonly value: unknown };
  readonly body?: { readonly schema: z.ZodType; readonly value: unknown };
}

type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** A checked and serialized request. Every attempt sends the same bytes. */
export interface PreparedRequest extends Pick<RequestDescription, 'method' | 'path' | 'as'> {
  /** Query string with its question mark; empty without parameters. */
  readonly search: string;
  readonly body: Uint8Array | undefined;
}

/**
 * Template tag for endpoint paths: percent-encodes each parameter, so that the signed path is the path sent.
 *
 * @throws {MarketplaceError} `REQUEST_INVALID` for a parameter that can't be part of a path.
 */
export function path(literals: TemplateStringsArray, ...parameters: readonly string[]): string {
  return literals.reduce(
    (built, literal, index) => built + encodeSegment(parameters[index - 1] ?? '') + literal,
  );
}

/** URL parsers resolve `.` and `..`, so the path sent would differ from the signed one. */
function encodeSegment(parameter: string): string {
  if (parameter === '' || parameter === '.' || parameter === '..' || !parameter.isWellFormed()) {
    throw invalidRequest({ path: `${JSON.stringify(parameter)} can not be a path parameter` });
  }
  return encodeURIComponent(parameter);
}

/**
 * Checks a request against the rules of the specification and serializes it.
 *
 * @throws {MarketplaceError} `REQUEST_INVALID`, naming each field and rule in `context.validationErrors`.
 */
export function prepare({ method, path, as, query, body }: RequestDescription): PreparedRequest {
  if (typeof as === 'object') check(storeCredentials, as);
  return {
    method,
    path,
    as,
    search: query ? searchOf(check(query.schema, query.value)) : '',
    body: body && Buffer.from(JSON.stringify(check(body.schema, body.value))),
  };
}

/** Visible ASCII only: other characters in a header get changed or refused, which breaks the signature. */
const headerValue = z.string().regex(/^[\x21-\x7e]+$/, 'must be visible ASCII without spaces');
const storeCredentials = z.object({ storeClientId: headerValue, storeToken: headerValue });

function check<T>(schema: z.ZodType<T>, value: unknown): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw invalidRequest(
    Object.fromEntries(result.error.issues.map((issue) => [toDotPath(issue.path), issue.message])),
  );
}

function searchOf(query: Query): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] satisfies [string, string]],
  );
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
}

function invalidRequest(validationErrors: Record<string, string>): MarketplaceError {
  const problems = Object.entries(validationErrors)
    .slice(0, MOST_FAULTS)
    .map(([field, message]) => `${field || 'request'}: ${message}`);
  return new MarketplaceError({
    code: clientErrorCodes.requestInvalid,
    message: `The request breaks the API's rules and was not sent: ${problems.join('; ')}`,
    outcome: 'not-sent',
    retryable: false,
    context: { validationErrors },
  });
}

import { Sha256 } from '@aws-crypto/sha256-js';
import { SignatureV4 } from '@smithy/signature-v4';
import * as z from 'zod';
import { parseJson } from '../../shared/collections/parse-json.ts';
import { ApiError, CliError, usageError } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';
import { outputOf, type Target } from '../target/target.ts';
import { changedBy, hintOf } from './api-hint.ts';

/** The parts of a path; each is percent-encoded. */
export type Path = readonly string[];

export interface ApiCall {
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly body?: unknown;
}

/** The operations API, signed with the operator's own credentials. */
export interface ApiClient {
  /**
   * Calls a route and reads its answer by `schema`.
   *
   * @throws ApiError for an answer with an error
   */
  call<T>(schema: z.ZodType<T>, method: string, path: Path, call?: ApiCall): Promise<T>;
  /** Calls a route, and returns the text of its answer. @throws ApiError for an answer with an error */
  text(method: string, path: Path, call?: ApiCall): Promise<string>;
}

/** An HTTP API answers within 30 s. */
const TIMEOUT_MS = 35_000;

const errorSchema = z.object({
  error: z.object({ code: z.string(), message: z.string(), details: z.unknown().optional() }),
  requestId: z.string().optional(),
});

/** What API Gateway itself answers. */
const gatewayCodes: Readonly<Record<number, string>> = {
  403: 'FORBIDDEN',
  404: 'ROUTE_UNKNOWN',
  429: 'TOO_MANY_REQUESTS',
};

export function createApiClient(target: Target): ApiClient {
  const { region, credentials } = target;
  const base = new URL(outputOf(target, 'ApiUrl'));
  const signer = new SignatureV4({ service: 'execute-api', region, credentials, sha256: Sha256 });

  async function text(method: string, path: Path, { query = {}, body }: ApiCall = {}): Promise<string> {
    const given = Object.entries(query).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value)] as const],
    );
    const pathname = `${base.pathname.replace(/\/$/, '')}/${encoded(path)}`;
    const content = body === undefined ? {} : { body: JSON.stringify(body) };
    const signed = await signer.sign({
      method,
      protocol: base.protocol,
      hostname: base.hostname,
      ...(base.port !== '' && { port: Number(base.port) }),
      path: pathname,
      query: Object.fromEntries(given),
      headers: { host: base.host, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...content,
    });
    const search = given.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');
    const answer = await fetch(`${base.origin}${pathname}${search && `?${search}`}`, {
      method,
      headers: signed.headers,
      signal: AbortSignal.timeout(TIMEOUT_MS),
      ...content,
    });
    const received = await answer.text();
    if (!answer.ok) throw errorOf(method, answer, received);
    return received;
  }

  return {
    text,
    async call(schema, method, path, call) {
      const parsed = schema.safeParse(JSON.parse(await text(method, path, call)));
      if (parsed.success) return parsed.data;
      const [issue] = parsed.error.issues;
      throw new CliError(`unexpected answer: ${issue?.path.join('.')} ${issue?.message}`, {
        code: 'ANSWER_UNEXPECTED',
        exitCode: EXIT.failed,
        hint: 'Are the stack and this command line of the same version?',
      });
    },
  };
}

/** @throws CliError for a part by which a URL leads to another route */
function encoded(path: Path): string {
  const wrong = path.find((part) => ['', '.', '..'].includes(part));
  if (wrong !== undefined) throw usageError(`"${wrong}" is no ID`);
  return path.map(encodeURIComponent).join('/');
}

function errorOf(method: string, { status, headers }: Response, received: string): ApiError {
  const parsed = errorSchema.safeParse(parseJson(received));
  if (parsed.success) {
    const { error, requestId } = parsed.data;
    const seconds = Number(headers.get('retry-after') ?? Number.NaN);
    const retryAfter = Number.isFinite(seconds) ? seconds : undefined;
    const failure = { method, status, ...error, requestId, retryAfter };
    const facts = { hint: hintOf(failure), changed: changedBy(failure), requestId, retryAfter };
    return new ApiError(error.message, { status, ...error, ...facts });
  }
  const code = gatewayCodes[status] ?? `HTTP_${status}`;
  const message = z.object({ message: z.string() }).safeParse(parseJson(received)).data?.message ?? received;
  return new ApiError(message, {
    status,
    code,
    ...(status === 403 && { hint: 'The credentials need execute-api:Invoke, and a clock that is right.' }),
  });
}

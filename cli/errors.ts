import { EXIT, type ExitCode } from './exit-codes.ts';
import { startOf } from './invocation.ts';

/** An error for the person at the terminal. Its message is shown without a stack trace. */
export class CliError extends Error {
  readonly code: string;
  readonly exitCode: ExitCode;
  /** What to do about it. */
  readonly hint: string | undefined;

  constructor(
    message: string,
    { code, exitCode, hint, cause }: { code: string; exitCode: ExitCode; hint?: string; cause?: unknown },
  ) {
    super(message, { cause });
    this.name = 'CliError';
    this.code = code;
    this.exitCode = exitCode;
    this.hint = hint;
  }
}

export function usageError(message: string, hint?: string): CliError {
  return new CliError(message, {
    code: 'USAGE',
    exitCode: EXIT.usage,
    ...(hint !== undefined && { hint }),
  });
}

/** What an answer with an error says beside its code and message. */
export interface ApiFailure {
  readonly method: string;
  readonly status: number;
  readonly code: string;
  readonly details?: unknown;
  readonly requestId?: string | undefined;
  /** Seconds, from the header `retry-after`. */
  readonly retryAfter?: number | undefined;
}

/** Whether the call had an effect; `undefined` for a read. */
export type Changed = 'nothing' | 'unknown';

interface ApiErrorFacts extends Omit<ApiFailure, 'method'> {
  readonly hint?: string | undefined;
  readonly changed?: Changed | undefined;
}

/** An answer of the HTTP API with an error. */
export class ApiError extends CliError {
  readonly status: number;
  readonly details: unknown;
  readonly requestId: string | undefined;
  /** Whether the call had an effect; absent for a read. */
  readonly changed: Changed | undefined;
  /** Seconds after which it may be tried again. */
  readonly retryAfter: number | undefined;

  constructor(message: string, facts: ApiErrorFacts) {
    const { status, code, details, requestId, hint } = facts;
    const named = requestId === undefined ? message : `${message} (request ${requestId})`;
    const isRefusedCaller = status === 403 && code === 'FORBIDDEN';
    super(named, {
      code,
      exitCode: isRefusedCaller ? EXIT.unreachable : code === 'REQUEST_INVALID' ? EXIT.usage : EXIT.failed,
      ...(hint !== undefined && { hint }),
    });
    this.status = status;
    this.details = details;
    this.requestId = requestId;
    this.changed = facts.changed;
    this.retryAfter = facts.retryAfter;
  }
}

/** What the HTTP API answered, if `error` says so itself or by its cause, as one of several calls does. */
export function answerFactsOf(error: unknown): Partial<Omit<ApiErrorFacts, 'code' | 'hint'>> {
  if (!(error instanceof ApiError)) return error instanceof CliError ? answerFactsOf(error.cause) : {};
  const { status, details, requestId, changed, retryAfter } = error;
  return { status, details, requestId, changed, retryAfter };
}

const CREDENTIALS =
  /Credentials|ExpiredToken|InvalidClientTokenId|UnrecognizedClient|SignatureDoesNotMatch|InvalidSignature/;
const ACCESS = /AccessDenied|Forbidden|NotAuthorized/;
const OF_AWS = /\.amazonaws\.com\b/;
const NETWORK = /ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|UND_ERR|TimeoutError|fetch failed/;

/** The error as a CliError, by the names that AWS's SDK and Node.js give it. */
export function explain(thrown: unknown): CliError {
  const error = firstOf(thrown);
  if (error instanceof CliError) return error;
  const { name, message, code, cause } = factsOf(error);
  const text = `${String(error)} ${code} ${cause}`;
  const unreachable = { exitCode: EXIT.unreachable, cause: error };
  if (CREDENTIALS.test(`${name} ${code}`))
    return new CliError(message, {
      ...unreachable,
      code: 'CREDENTIALS',
      hint: 'Sign in to AWS, or name a profile with --profile: `aws configure list-profiles` shows them.',
    });
  if (ACCESS.test(`${name} ${code}`)) return new CliError(message, { ...unreachable, code: 'ACCESS_DENIED' });
  if (NETWORK.test(text))
    return new CliError(`cannot reach the stack: ${message}`, {
      ...unreachable,
      code: 'UNREACHABLE',
      hint: OF_AWS.test(message)
        ? 'Is the region right, and is there a network?'
        : `Is the local run up (\`${startOf('local')}\`), or the network?`,
    });
  return new CliError(message, {
    code: name === 'Error' && code !== '' ? code : name,
    exitCode: EXIT.failed,
    cause: error,
  });
}

/** What an error says, in a few words. */
export function reasonOf(error: unknown): string {
  return factsOf(error).message;
}

/** What failed first, where the end of a block (`using`) failed after it. By its name: Node.js 20 has no such class. */
function firstOf(error: unknown): unknown {
  const isSuppressed = error instanceof Error && error.name === 'SuppressedError' && 'suppressed' in error;
  return isSuppressed ? firstOf(error.suppressed) : error;
}

function factsOf(error: unknown) {
  if (!(error instanceof Error)) return { name: 'ERROR', message: String(error), code: '', cause: '' };
  const { code = '', cause = '' } = error as NodeJS.ErrnoException & { cause?: unknown };
  const { code: causeCode = '', message: causeMessage = '' } =
    cause instanceof Error ? (cause as NodeJS.ErrnoException) : {};
  // The message of fetch itself says nothing: its cause names the address.
  const ownMessage = error.message === 'fetch failed' ? causeMessage || causeCode : error.message;
  const message = ownMessage || String(causeCode || code || error.message || error.name);
  return { name: error.name, message, code, cause: causeCode || causeMessage };
}

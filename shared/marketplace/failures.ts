import { LONGEST_RETRY_AFTER_MS } from '../time/waits.ts';
import { clientErrorCodes, MarketplaceError } from './errors.ts';

export type FailureMeaning =
  /** The request may have been applied. */
  | 'unknown'
  /** Not applied, because of a row or the number of rows. The request is halved until the invalid row is found. */
  | 'rows'
  /** AUTH_014: the store's credentials are refused. */
  | 'store-refused'
  /** AUTH_010, AUTH_011: the partner's credentials are refused. SECRET_…: the partner secret can't be used. */
  | 'partner-refused'
  /** Not applied, and the same request may succeed later. */
  | 'not-now'
  /** Not applied, for a reason outside its rows: the address, the clock, the state of the store. */
  | 'refused';

/**
 * Codes about the caller, the store, the service or the address, never about a row. `HTTP_<status>` is an answer without
 * a code; 400, 413 and 422 are about the body and so about its rows.
 */
const NOT_ABOUT_ROWS =
  /^(AUTH|SYS|STORE)_|^HTTP_(?!4(00|13|22)$)|^(RATE_LIMITED|NOT_FOUND|METHOD_NOT_ALLOWED|UNAUTHORIZED|FORBIDDEN)$/;

const PARTNER_REFUSED: ReadonlySet<string> = new Set([
  'AUTH_010',
  'AUTH_011',
  'SECRET_PLACEHOLDER',
  'SECRET_INVALID',
]);

/** The client's own codes except `REQUEST_INVALID`, which is about a row. */
const CLIENT_CODES: ReadonlySet<string> = new Set(
  Object.values(clientErrorCodes).filter((code) => code !== clientErrorCodes.requestInvalid),
);

/**
 * The meaning of a failure by its code and outcome (§7). An unlisted code counts as a fault of a row: splitting the request finds that
 * row, whereas waiting would delay all other rows.
 */
export function meaningOf({ code, outcome, retryable }: MarketplaceError): FailureMeaning {
  if (outcome === 'unknown') return 'unknown';
  if (code === 'AUTH_014') return 'store-refused';
  if (PARTNER_REFUSED.has(code)) return 'partner-refused';
  if (retryable) return 'not-now';
  return NOT_ABOUT_ROWS.test(code) || CLIENT_CODES.has(code) ? 'refused' : 'rows';
}

/** Whether a temporary refusal may be caused by rows of the request: the marketplace answered, and the status is not 429. */
export function mayBeOfRows({ status }: MarketplaceError): boolean {
  return status !== undefined && status !== 429;
}

/** Whether the refusal of a single row shows that this row is at fault: it has a code, or says that the body is too large. */
export function namesFault({ code }: MarketplaceError): boolean {
  return !code.startsWith('HTTP_') || code === 'HTTP_413';
}

/** The two halves of refused rows. The second is empty if there is one row. */
export function halvesOf<Row>(rows: readonly Row[]): readonly [Row[], Row[]] {
  const middle = halfOf(rows.length);
  return [rows.slice(0, middle), rows.slice(middle)];
}

export function halfOf(rows: number): number {
  return Math.ceil(rows / 2);
}

/**
 * Whether a call may be retried at once: a read always, a write only when it was not applied. An aborted call is never
 * retried. Nor is a call without a permit: its caller waits with a delayed message.
 */
export function mayRepeat(error: MarketplaceError, method: string): boolean {
  const { code, retryable } = error;
  if (!retryable || code === clientErrorCodes.aborted || WITHOUT_PERMIT.has(code)) return false;
  if ((error.retryAfterMs ?? 0) > LONGEST_RETRY_AFTER_MS) return false;
  return method === 'GET' || error.outcome !== 'unknown';
}

/** Whether a call was not sent because it got no permit. */
export function isWithoutPermit(error: unknown): error is MarketplaceError {
  return error instanceof MarketplaceError && WITHOUT_PERMIT.has(error.code);
}

const WITHOUT_PERMIT: ReadonlySet<string> = new Set([
  clientErrorCodes.limitReached,
  clientErrorCodes.tablesRestored,
]);

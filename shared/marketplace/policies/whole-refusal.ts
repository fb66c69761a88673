import { clientErrorCodes, type MarketplaceError } from '../errors.ts';

/** What the failure of a whole request means for its rows. */
export type FailureMeaning =
  /** The request may have been applied. */
  | 'unknown'
  /** Not applied, because of what its rows hold, or how many they are: split in halves, down to the row at fault. */
  | 'rows'
  /** AUTH_014: the store's credentials are refused. */
  | 'store-refused'
  /** AUTH_010, AUTH_011: the partner's credentials are refused. */
  | 'partner-refused'
  /** Not applied, and the same request may succeed later. */
  | 'not-now'
  /** Not applied, and no row is to blame: the address, the clock, the state of the store. */
  | 'refused';

/**
 * Codes that are about the caller, the store, the service or the address, and never about a row. `HTTP_<status>` stands
 * for an answer without a code: those of a body's form and size are about its rows.
 */
const NOT_OF_ROWS =
  /^(AUTH|SYS|STORE)_|^HTTP_(?!4(00|13|22)$)|^(RATE_LIMITED|NOT_FOUND|METHOD_NOT_ALLOWED|UNAUTHORIZED|FORBIDDEN)$/;

/** The client's own codes, but for a request that breaks a rule of the spec. */
const CLIENT_CODES: ReadonlySet<string> = new Set(
  Object.values(clientErrorCodes).filter((code) => code !== clientErrorCodes.requestInvalid),
);

/**
 * Reads what a failure means, by its code and outcome (design §6.4). A code that is not known counts as one of rows:
 * splitting finds the row at fault, where waiting would hold up all the others.
 */
export function meaningOf({ code, outcome, retryable }: MarketplaceError): FailureMeaning {
  if (outcome === 'unknown') return 'unknown';
  if (code === 'AUTH_014') return 'store-refused';
  if (code === 'AUTH_010' || code === 'AUTH_011') return 'partner-refused';
  if (retryable) return 'not-now';
  return NOT_OF_ROWS.test(code) || CLIENT_CODES.has(code) ? 'refused' : 'rows';
}

/** Whether a refusal gives a code of its own, so that a row that was alone in the request is surely at fault. */
export function namesFault({ code }: MarketplaceError): boolean {
  return !code.startsWith('HTTP_') || code === 'HTTP_413';
}

/** The two halves of what was refused together; the second is empty where there was one row. */
export function halvesOf<Row>(rows: readonly Row[]): readonly [Row[], Row[]] {
  const middle = halfOf(rows.length);
  return [rows.slice(0, middle), rows.slice(middle)];
}

/** How many of `rows` rows are in the first half. */
export function halfOf(rows: number): number {
  return Math.ceil(rows / 2);
}

import { clientErrorCodes, type MarketplaceError } from './errors.ts';

/** What the failure of a whole request means for its rows. */
export type FailureMeaning =
  /** The request may have been applied. */
  | 'unknown'
  /** Not applied, because of a row or the number of rows: split in halves, down to the invalid row. */
  | 'rows'
  /** AUTH_014: the store's credentials are refused. */
  | 'store-refused'
  /** AUTH_010, AUTH_011: the partner's credentials are refused. SECRET_…: the partner secret can't be used. */
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

const PARTNER_REFUSED: ReadonlySet<string> = new Set([
  'AUTH_010',
  'AUTH_011',
  'SECRET_PLACEHOLDER',
  'SECRET_INVALID',
]);

/** The client's own codes, but for a request that breaks a rule of the spec. */
const CLIENT_CODES: ReadonlySet<string> = new Set(
  Object.values(clientErrorCodes).filter((code) => code !== clientErrorCodes.requestInvalid),
);

/**
 * Reads what a failure means, by its code and outcome (§7). A code that is not known counts as one of rows:
 * splitting finds the row at fault, where waiting would hold up all the others.
 */
export function meaningOf({ code, outcome, retryable }: MarketplaceError): FailureMeaning {
  if (outcome === 'unknown') return 'unknown';
  if (code === 'AUTH_014') return 'store-refused';
  if (PARTNER_REFUSED.has(code)) return 'partner-refused';
  if (retryable) return 'not-now';
  return NOT_OF_ROWS.test(code) || CLIENT_CODES.has(code) ? 'refused' : 'rows';
}

/** Whether a refusal gives a code of its own, so that a row that was alone in the request is surely at fault. */
export function namesFault({ code }: MarketplaceError): boolean {
  return !code.startsWith('HTTP_') || code === 'HTTP_413';
}

/** The two halves of rows that were refused together; the second is empty if there was one row. */
export function halvesOf<Row>(rows: readonly Row[]): readonly [Row[], Row[]] {
  const middle = halfOf(rows.length);
  return [rows.slice(0, middle), rows.slice(middle)];
}

/** How many of `rows` rows are in the first half. */
export function halfOf(rows: number): number {
  return Math.ceil(rows / 2);
}

/** How long to wait after failures that follow each other: up to `firstMs`, doubled with each, at most `mostMs`. */
export interface BackOff {
  readonly firstMs: number;
  readonly mostMs: number;
}

/** Every back-off of the product. */
export const backOffs = {
  /** Between two attempts of one call, while its caller waits. */
  call: { firstMs: 200, mostMs: 5_000 },
  /** Between two sends of one request of a command, within one delivery of the command. */
  request: { firstMs: 1_000, mostMs: 8_000 },
  /** Before a row that was refused for now leaves again, and before a lane goes on that was refused as a whole. */
  row: { firstMs: 1_000, mostMs: 300_000 },
} as const satisfies Record<string, BackOff>;

/** A longer `Retry-After` is not waited for inside a call: its caller may have better to do. */
const LONGEST_RETRY_AFTER_MS = 10_000;

/** A command is deferred for a quarter of its age, between these. */
const SHORTEST_DEFERRAL_MS = 15_000;
const LONGEST_DEFERRAL_MS = 600_000;

/**
 * Full jitter: uniform up to the ceiling, after what the marketplace asked to wait.
 *
 * @param failures how many came before this one.
 * @param random uniform in [0, 1).
 * @returns whole milliseconds.
 */
export function backOffMs(
  { firstMs, mostMs }: BackOff,
  failures: number,
  random: () => number,
  retryAfterMs = 0,
): number {
  return Math.ceil(retryAfterMs + random() * Math.min(mostMs, firstMs * 2 ** failures));
}

/**
 * Milliseconds after which a command that can't go on now is delivered again.
 *
 * @param ageMs time since the command was given.
 */
export function deferralMs(ageMs: number): number {
  return Math.min(Math.max(ageMs / 4, SHORTEST_DEFERRAL_MS), LONGEST_DEFERRAL_MS);
}

/**
 * Whether a call may be repeated at once without harm: a read always, a write only when it surely was not applied. An
 * aborted call is never repeated, nor one that found no permit: its caller waits by a delayed message.
 */
export function mayRepeat(error: MarketplaceError, method: string): boolean {
  if (!error.retryable || NEVER_REPEATED.has(error.code)) return false;
  if ((error.retryAfterMs ?? 0) > LONGEST_RETRY_AFTER_MS) return false;
  return method === 'GET' || error.outcome !== 'unknown';
}

const NEVER_REPEATED: ReadonlySet<string> = new Set([
  clientErrorCodes.aborted,
  clientErrorCodes.limitReached,
]);

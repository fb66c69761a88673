import { clientErrorCodes, type MarketplaceError } from '../errors.ts';

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
 * aborted call is never repeated, nor one that found no permit: whoever made it waits by a delayed message.
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

import { clientErrorCodes, type MarketplaceError } from './errors.ts';

/** First step of the backoff, in milliseconds; it doubles with each attempt. */
const BASE_DELAY_MS = 200;
const MAX_DELAY_MS = 5_000;
/** A longer `Retry-After` is for the caller to wait out, who may have better to do. */
const MAX_RETRY_AFTER_MS = 10_000;

/**
 * Whether repeating a failed request does no harm: a read always, a write only when it surely was not applied.
 * An aborted call is never repeated.
 */
export function mayRepeat(error: MarketplaceError, method: string): boolean {
  if (!error.retryable || error.code === clientErrorCodes.aborted) return false;
  if ((error.retryAfterMs ?? 0) > MAX_RETRY_AFTER_MS) return false;
  return method === 'GET' || error.outcome !== 'unknown';
}

/**
 * Time to wait before the next attempt: full jitter over an exponential ceiling, and at least what the marketplace
 * asked for.
 *
 * @param attempt number of the attempt that failed, from 1.
 * @param random uniform in [0, 1).
 * @returns milliseconds.
 */
export function backoffMs(error: MarketplaceError, attempt: number, random: () => number): number {
  const ceiling = Math.min(MAX_DELAY_MS, BASE_DELAY_MS * 2 ** (attempt - 1));
  return Math.round((error.retryAfterMs ?? 0) + random() * ceiling);
}

import type { CallOptions } from '../../shared/marketplace/options.ts';

/** An HTTP API answers for its function after 30 s: a call is given up before, so that the caller learns of what. */
const ANSWER_WITHIN_MS = 25_000;

/** Options of a call of the marketplace that somebody waits for. */
export function inTime(): CallOptions & { readonly signal: AbortSignal } {
  return { signal: AbortSignal.timeout(ANSWER_WITHIN_MS) };
}

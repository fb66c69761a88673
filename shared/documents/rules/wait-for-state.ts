import type { MarketplaceError } from '../../marketplace/errors.ts';

/** Milliseconds before a document is asked for again: the command's age within these, so that it doubles each time. */
const SHORTEST_PAUSE_MS = 15_000;
const LONGEST_PAUSE_MS = 900_000;

/**
 * How long to wait for an order whose state does not allow the document yet (ORDER_021).
 *
 * @param time epoch ms: when the command was given.
 * @param waitMs how long after its command an order may take to come so far; 0 for not at all.
 * @returns milliseconds; `undefined` when the refusal is final.
 */
export function pauseForState(
  { code }: Pick<MarketplaceError, 'code'>,
  { time, now, waitMs }: { readonly time: number; readonly now: number; readonly waitMs: number },
): number | undefined {
  const left = time + waitMs - now;
  if (code !== 'ORDER_021' || left <= 0) return undefined;
  // The last look is at the deadline itself, however soon that is.
  return Math.min(left, LONGEST_PAUSE_MS, Math.max(SHORTEST_PAUSE_MS, now - time));
}

import type { DocumentCommand, DocumentOutcome } from '../model.ts';

/** Milliseconds before a document is asked for again: the command's age within these, so that it doubles each time. */
const SHORTEST_PAUSE_MS = 15_000;
const LONGEST_PAUSE_MS = 900_000;

/**
 * How long to wait for an order whose state does not allow the document yet (ORDER_021).
 *
 * @param waitMs how long after its command an order may take to come so far; 0 for not at all.
 * @returns milliseconds; `undefined` when the outcome is final.
 */
export function pauseForState(
  outcome: DocumentOutcome,
  { time }: Pick<DocumentCommand, 'time'>,
  now: number,
  waitMs: number,
): number | undefined {
  if (!('failure' in outcome) || outcome.failure.code !== 'ORDER_021') return undefined;
  const left = time + waitMs - now;
  if (left <= 0) return undefined;
  // The last look is at the deadline itself, however soon that is.
  return Math.min(left, LONGEST_PAUSE_MS, Math.max(SHORTEST_PAUSE_MS, now - time));
}

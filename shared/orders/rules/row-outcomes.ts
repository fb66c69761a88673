import type { OrderAction, OrderReference, OrderResult } from '../model.ts';
import type { ActionOutcome } from './claim.ts';
import { matchSkipped } from './match-skipped.ts';

/** What is unclear of some rows of an answer. */
export const UNCLEAR = {
  code: 'ROW_UNCLEAR',
  message: 'the answer does not say which of the orders it skipped',
};

/**
 * How a request ended for each of its rows.
 *
 * @param batchId the batch that it began, if any.
 */
export function rowOutcomes(
  sent: readonly OrderReference[],
  result: OrderResult,
  batchId: string | undefined,
): ActionOutcome[] {
  if ('unknown' in result) return sent.map(() => ({ state: 'unknown', ...result.unknown }));
  const { requestId } = result.answer;
  const facts = { ...(batchId !== undefined && { batchId }), ...(requestId !== undefined && { requestId }) };
  const { skipped, unclear } = matchSkipped(sent, result.answer.skipped);
  return sent.map((_, position) => {
    const error = skipped.get(position);
    if (error) return { state: 'refused', ...facts, code: error.code, message: error.message ?? error.code };
    return unclear.has(position) ? { state: 'unknown', ...facts, ...UNCLEAR } : { state: 'done', ...facts };
  });
}

/** The batch that dropoffs began. No summary can name one whose answer gave no ID: it is kept under our own. */
export function batchIdOf(kind: OrderAction, attemptId: string, result: OrderResult): string | undefined {
  if (kind === 'decision' || 'unknown' in result) return undefined;
  return result.answer.batchId ?? result.answer.requestId ?? attemptId;
}

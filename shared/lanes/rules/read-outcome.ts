import type { RowOutcome } from '../../listings/rules/settle-row.ts';
import { fieldsOfTarget } from '../../listings/rules/target.ts';
import type { BatchAnswer } from '../../marketplace/batch.ts';
import { clientErrorCodes, type MarketplaceError } from '../../marketplace/errors.ts';
import { backOffMs, backOffs } from '../../marketplace/policies/back-off.ts';
import { rowOutcomes } from '../../marketplace/row-outcomes.ts';
import { isAboutBody } from '../../marketplace/rules/about-body.ts';

/** What a failed bulk request means for its lane. */
export type Verdict =
  /** The rows may have been applied: fenced until the attempt's life is over. */
  | 'unknown'
  /** The request as a whole breaks a rule: cut in two, down to the row at fault. */
  | 'bisect'
  /** AUTH_014: the store is refused. */
  | 'store-refused'
  /** AUTH_010, AUTH_011: the partner is refused, which is a fault of configuration. */
  | 'partner-refused'
  /** Not now: everything of the lane waits. */
  | 'pause';

/** Reads what a failure means. Decided by `code` and `outcome`, never by the status alone (design §6.4). */
export function verdictOf(error: MarketplaceError): Verdict {
  if (error.outcome === 'unknown') return 'unknown';
  if (error.code === 'AUTH_014') return 'store-refused';
  if (error.code === 'AUTH_010' || error.code === 'AUTH_011') return 'partner-refused';
  if (error.code === clientErrorCodes.requestInvalid || isAboutBody(error, ABOUT_ROWS)) return 'bisect';
  return 'pause';
}

/**
 * Codes that speak of what was sent: validation, and rows for what does not exist (§7). Where there is no code at all the
 * values wait: a marketplace that is out of order must not have them all rejected.
 */
const ABOUT_ROWS = /^(VAL_\d+|INV_00[12]|PRD_016)$/;

/**
 * The outcome of each row that was sent, by its position. Rows that the answer calls pending count as accepted (design
 * §6.4); one that the answer does not settle may have been applied: its newest values go again from `unknownUntil` on.
 *
 * @param rows `failures`: the row's retryable failures before this one
 * @param times epoch ms; `random` is in [0, 1)
 */
export function outcomesOf(
  rows: readonly { readonly target: string; readonly failures: number }[],
  answer: Pick<BatchAnswer, 'summary' | 'acceptedRows' | 'errors'>,
  { now, unknownUntil, random }: { now: number; unknownUntil: number; random: () => number },
): RowOutcome[] {
  const reported = rowOutcomes(
    rows.map(({ target }) => fieldsOfTarget(target)),
    answer,
  );
  return reported.map((row, index): RowOutcome => {
    if (row.outcome === 'unknown') return { outcome: 'unknown', notBefore: unknownUntil };
    if (row.outcome !== 'rejected') return { outcome: 'accepted' };
    return row.retryable
      ? { outcome: 'retryable', notBefore: now + backOffMs(backOffs.row, rows[index]?.failures ?? 0, random) }
      : { outcome: 'rejected', code: row.error.code };
  });
}

import { createHash } from 'node:crypto';
import type { Listing, Registers } from '../../listings/model.ts';
import type { RowOutcome } from '../../listings/rules/settle-row.ts';
import { targetsOf } from '../../listings/rules/target.ts';
import { type BatchAnswer, isRowRetryable, type RowError } from '../../marketplace/batch.ts';
import type { MarketplaceError } from '../../marketplace/errors.ts';
import { backOffMs, backOffs } from '../../marketplace/policies/back-off.ts';
import type { Rejection } from '../../rejections/model.ts';
import { boundedRejection } from '../../rejections/rules/bounded.ts';

/**
 * The outcome of each row that was sent, by its position. Rows that the answer calls pending, or does not name, count
 * as accepted (design §6.4). `failures` are the row's retryable failures before this one; `random` is in [0, 1).
 */
export function outcomesOf(
  rows: readonly { readonly target: string; readonly failures: number }[],
  answer: Pick<BatchAnswer, 'errors'>,
  now: number,
  random: () => number,
): RowOutcome[] {
  const outcomes = rows.map((): RowOutcome => ({ outcome: 'accepted' }));
  for (const error of answer.errors) {
    const index = error.rowIndex ?? rowNamedBy(error, rows);
    const row = rows[index];
    if (row === undefined) continue;
    outcomes[index] = isRowRetryable(error)
      ? retryable(row, now, random)
      : { outcome: 'rejected', code: error.code };
  }
  return outcomes;
}

/** A row that was refused for now. */
export function retryable(
  { failures }: { readonly failures: number },
  now: number,
  random: () => number,
): RowOutcome {
  return { outcome: 'retryable', notBefore: now + backOffMs(backOffs.row, failures, random) };
}

/** The row whose target an error names; the most specific name first, as variants share those of their product. */
function rowNamedBy(error: RowError, rows: readonly { readonly target: string }[]): number {
  const indexes = targetsOf(error).map((name) => rows.findIndex(({ target }) => target === name));
  return indexes.find((index) => index >= 0) ?? -1;
}

/**
 * The one row of a request that was refused as a whole, as rejected. The same values of a target get the same ID, however
 * often they are sent before it is known that they were refused.
 *
 * @param registers those that the row was to settle
 * @param signedAt epoch ms of the request's signature
 */
export function rejectionOfRow(
  { listing, registers }: { readonly listing: Listing; readonly registers: Registers },
  { code, message, context }: MarketplaceError,
  signedAt: number,
): Rejection {
  const { storeClientId, target, waitingSince = signedAt } = listing;
  const digest = createHash('sha256')
    .update(JSON.stringify([target, registers]))
    .digest('base64url');
  return boundedRejection({
    storeClientId,
    rejectionId: `${new Date(waitingSince).toISOString()}#${digest}`,
    rejectedAt: new Date(signedAt).toISOString(),
    code,
    message,
    target,
    details: { ...context },
  });
}

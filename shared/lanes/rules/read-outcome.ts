import { createHash } from 'node:crypto';
import { MOST_VERSIONS } from '../../events/outgoing.ts';
import { type Listing, type Registers, registerEntries } from '../../listings/model.ts';
import type { SentRowOutcome } from '../../listings/rules/row.ts';
import { fieldsOfTarget } from '../../listings/rules/target.ts';
import { isRowRetryable, mayBeApplied, type RowError } from '../../marketplace/batch.ts';
import { detailsOf, type MarketplaceError } from '../../marketplace/errors.ts';
import type { ReportedRow } from '../../marketplace/row-outcomes.ts';
import type { Rejection } from '../../rejections/model.ts';
import { boundedRejection } from '../../rejections/rules/bounded.ts';
import type { EpochMs } from '../../time/times.ts';
import { backOffMs, backOffs } from '../../time/waits.ts';

/**
 * The outcome of a sent row by the answer. A row that the answer calls pending counts as accepted ("Batches" in
 * docs/architecture.md). A row that the answer does not settle is unknown, and so is a row with an error after which it may still be
 * applied. The newest values of an unknown row are sent again after `unknownUntil` and a back-off that grows with each failure.
 *
 * @param listing `failures`: consecutive failures of the row before this answer
 * @param random in [0, 1)
 */
export function sentRowOutcomeOf(
  row: ReportedRow<RowError>,
  listing: { readonly failures: number },
  { now, unknownUntil, random }: { now: EpochMs; unknownUntil: EpochMs; random: () => number },
): SentRowOutcome {
  if (row.outcome === 'unknown') return unknownOutcome(listing, unknownUntil, random);
  if (row.outcome !== 'rejected') return { outcome: 'accepted' };
  const { error } = row;
  if (!isRowRetryable(error)) return { outcome: 'rejected', code: error.code };
  return mayBeApplied(error)
    ? unknownOutcome(listing, unknownUntil, random)
    : retryable(listing, now, random);
}

/** The outcome of a row whose request may have been applied, or may be applied until `notBefore`. */
export function unknownOutcome(
  { failures }: { readonly failures: number },
  notBefore: EpochMs,
  random: () => number,
): SentRowOutcome {
  const backoffUntil = notBefore + backOffMs(backOffs.row, failures, random);
  return { outcome: 'unknown', notBefore, backoffUntil };
}

/** The outcome of a row that was refused for now. */
export function retryable(
  { failures }: { readonly failures: number },
  now: EpochMs,
  random: () => number,
): SentRowOutcome {
  return { outcome: 'retryable', backoffUntil: now + backOffMs(backOffs.row, failures, random) };
}

/** The different versions of the values of a row. */
export function versionsOf(registers: Registers): number[] {
  const versions = registerEntries(registers).map(([, { version }]) => version);
  return [...new Set(versions)].slice(0, MOST_VERSIONS);
}

/**
 * The rejection of the only row of a request that was refused as a whole. Its ID depends on the target and its values, so that
 * a repeated refusal is the same rejection.
 *
 * @param registers the registers of the row
 */
export function rejectionOfRow(
  { listing, registers }: { readonly listing: Listing; readonly registers: Registers },
  error: MarketplaceError,
  signedAt: EpochMs,
): Rejection {
  const { code, message, requestId } = error;
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
    ...fieldsOfTarget(target),
    versions: versionsOf(registers),
    details: { ...(requestId !== undefined && { requestId }), ...detailsOf(error) },
  });
}

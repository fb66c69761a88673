import type { RowError } from '../../marketplace/batch.ts';
import type { MarketplaceError } from '../../marketplace/errors.ts';
import { meaningOf } from '../../marketplace/policies/whole-refusal.ts';
import type { OrderReference } from '../model.ts';
import { matchSkipped } from './match-skipped.ts';

/** Whether a request was refused for what its orders hold. */
export function isAboutOrders(error: MarketplaceError): boolean {
  return meaningOf(error) === 'rows';
}

/**
 * The rows of a call that failed because none of them is eligible (ORDER_026, §4.17); `undefined` for any other, and where
 * not all that were `sent` are named: those left out would pass for taken.
 */
export function skippedByRefusal(
  { code, context }: MarketplaceError,
  sent: readonly OrderReference[],
): RowError[] | undefined {
  const errors = code === 'ORDER_026' ? (context?.errors ?? []) : [];
  return matchSkipped(sent, errors).skipped.size === sent.length ? errors : undefined;
}

import type { RowError } from '../../marketplace/batch.ts';
import type { MarketplaceError } from '../../marketplace/errors.ts';
import { isAboutBody } from '../../marketplace/rules/about-body.ts';
import type { OrderReference } from '../model.ts';
import { matchSkipped } from './match-skipped.ts';

/** Codes that speak of what was sent: validation and orders; its form, where no code says it. */
const ABOUT_ORDERS = /^(VAL|ORDER)_|^HTTP_(400|422)$/;

/** Whether a request was refused for what its orders hold; see `isAboutBody`. */
export function isAboutOrders(error: MarketplaceError): boolean {
  return isAboutBody(error, ABOUT_ORDERS);
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

import type { RowError } from '../../marketplace/batch.ts';
import type { MarketplaceError } from '../../marketplace/errors.ts';
import { isAboutBody } from '../../marketplace/rules/about-body.ts';

/** Codes that speak of what was sent: validation and orders. */
const ABOUT_ORDERS = /^(VAL|ORDER)_/;

/** Whether a request was refused for what its orders hold; see `isAboutBody`. */
export function isAboutOrders(error: MarketplaceError): boolean {
  return isAboutBody(error, ABOUT_ORDERS);
}

/**
 * The rows of a call that failed because none of them is eligible (ORDER_026, §4.17); `undefined` for any other, and where
 * fewer are named than the `rows` that were sent: those left out would pass for taken.
 */
export function skippedByRefusal({ code, context }: MarketplaceError, rows: number): RowError[] | undefined {
  const errors = code === 'ORDER_026' ? (context?.errors ?? []) : [];
  return errors.length > 0 && errors.length >= rows ? errors : undefined;
}

import type { RowError } from '../../marketplace/batch.ts';
import type { MarketplaceError } from '../../marketplace/errors.ts';

/** Codes that speak of what was sent: validation and orders. */
const ABOUT_ORDERS = /^(VAL|ORDER)_/;

/** Statuses that refuse a body for its form or its size, where no code says it. */
const ABOUT_BODY = new Set(['HTTP_400', 'HTTP_413', 'HTTP_422']);

/**
 * Whether a bulk request was refused for what its rows hold, or for its size, so that it is worth halving (design
 * §6.4). Any other refusal says nothing about the orders: they are to be sent again.
 */
export function isAboutOrders({ code, outcome, retryable }: MarketplaceError): boolean {
  return outcome === 'refused' && !retryable && (ABOUT_ORDERS.test(code) || ABOUT_BODY.has(code));
}

/** The rows of a call that failed because none of them is eligible (ORDER_026, §4.17); `undefined` for any other. */
export function skippedByRefusal({ code, context }: MarketplaceError): RowError[] | undefined {
  return code === 'ORDER_026' ? context?.errors : undefined;
}

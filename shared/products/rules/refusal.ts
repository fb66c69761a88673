import type { MarketplaceError } from '../../marketplace/errors.ts';
import type { RowFault } from '../model.ts';

/** Codes that speak of what was sent: validation, products, warehouses, stock. */
const ABOUT_ROWS = /^(VAL|PRD|WAREHOUSE|INV)_/;

/** Statuses that refuse a body for its form or its size, where no code says it. */
const ABOUT_BODY = new Set(['HTTP_400', 'HTTP_413', 'HTTP_422']);

/**
 * Whether a bulk request was refused for what its rows hold, or for its size, so that it is worth halving (design
 * §6.4). Any other failure says nothing about the rows: they are to be sent again.
 */
export function isAboutRows({ code, outcome, retryable }: MarketplaceError): boolean {
  return outcome === 'refused' && !retryable && (ABOUT_ROWS.test(code) || ABOUT_BODY.has(code));
}

/**
 * Whether a row that named the store's warehouses as they are remembered was rejected for its warehouses: then they may
 * have changed. The spec does not say how such a rejection looks, so that any mention counts.
 */
export function isAboutWarehouses({
  code,
  details,
}: {
  code: string;
  details?: object | undefined;
}): boolean {
  return /warehouse/i.test(JSON.stringify([code, details]));
}

/** What the marketplace says is wrong, as the fault of the row that was refused alone. */
export function faultOfRefusal({ code, message, requestId, context }: MarketplaceError): RowFault {
  const details = {
    ...(requestId !== undefined && { requestId }),
    ...(context?.validationErrors && { validationErrors: context.validationErrors }),
  };
  return { code, message, details };
}

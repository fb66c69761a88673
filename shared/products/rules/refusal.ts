import type { MarketplaceError } from '../../marketplace/errors.ts';
import { meaningOf } from '../../marketplace/policies/whole-refusal.ts';
import type { RowFault } from '../model.ts';

/** Whether a request was refused for what its products hold. */
export function isAboutRows(error: MarketplaceError): boolean {
  return meaningOf(error) === 'rows';
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

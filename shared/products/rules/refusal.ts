import type { MarketplaceError } from '../../marketplace/errors.ts';
import { meaningOf } from '../../marketplace/policies/whole-refusal.ts';

/** Whether a request was refused for what its products hold. */
export function isAboutRows(error: MarketplaceError): boolean {
  return meaningOf(error) === 'rows';
}

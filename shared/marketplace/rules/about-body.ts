import type { MarketplaceError } from '../errors.ts';

/**
 * Whether a bulk request was refused for what its rows hold, or for its size, so that it is worth halving (design
 * §6.4). Any other refusal says nothing about the rows: they are to be sent again.
 *
 * @param codes those that speak of such a body; `HTTP_<status>` where the marketplace gives none
 */
export function isAboutBody({ code, status, outcome, retryable }: MarketplaceError, codes: RegExp): boolean {
  return outcome === 'refused' && !retryable && (codes.test(code) || status === 413);
}

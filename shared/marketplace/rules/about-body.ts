import type { MarketplaceError } from '../errors.ts';

/** Codes that refuse a body for its form or its size, where the marketplace gives none of its own. */
const ABOUT_FORM = new Set(['HTTP_400', 'HTTP_413', 'HTTP_422']);

/**
 * Whether a bulk request was refused for what its rows hold, or for its size, so that it is worth halving (design
 * §6.4). Any other refusal says nothing about the rows: they are to be sent again.
 *
 * @param aboutRows codes of the marketplace's that speak of such rows
 */
export function isAboutBody(
  { code, status, outcome, retryable }: MarketplaceError,
  aboutRows: RegExp,
): boolean {
  const isOfBody = aboutRows.test(code) || ABOUT_FORM.has(code) || status === 413;
  return outcome === 'refused' && !retryable && isOfBody;
}

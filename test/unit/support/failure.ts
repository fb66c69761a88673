import { MarketplaceError, type MarketplaceErrorOptions } from '../../../shared/marketplace/errors.ts';

/** A failure as the client throws it; by default a final refusal of the marketplace. */
export function failure(code: string, over: Partial<MarketplaceErrorOptions> = {}): MarketplaceError {
  return new MarketplaceError({ code, message: code, outcome: 'refused', retryable: false, ...over });
}

/** A reply that fails the call; by default with a final refusal of the marketplace. */
export function fail({
  code,
  ...over
}: Partial<MarketplaceErrorOptions> & { code: string }): (request?: unknown) => never {
  return () => {
    throw failure(code, over);
  };
}

import { MarketplaceError, type MarketplaceErrorOptions } from '../../../shared/marketplace/errors.ts';

/** A failure as the client throws it; by default the marketplace refuses for good. */
export function failure(code: string, over: Partial<MarketplaceErrorOptions> = {}): MarketplaceError {
  return new MarketplaceError({ code, message: code, outcome: 'refused', retryable: false, ...over });
}

/** A reply that fails the call; by default the marketplace refuses it for good. */
export function fail({
  code,
  ...over
}: Partial<MarketplaceErrorOptions> & { code: string }): (request?: unknown) => never {
  return () => {
    throw failure(code, over);
  };
}

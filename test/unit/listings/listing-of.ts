import type { Listing } from '../../../shared/listings/model.ts';

/** A listing of which nothing is wanted and nothing known. */
export function listingOf(target: string, over: Partial<Listing> = {}): Listing {
  return {
    storeClientId: 'store-1',
    target,
    versionKind: 'integer',
    desired: {},
    sent: {},
    settled: {},
    failures: 0,
    ...over,
  };
}

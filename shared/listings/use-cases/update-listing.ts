import { ConnectorError } from '../../errors/connector-error.ts';
import type { Listing } from '../model.ts';
import type { ListingTable } from '../ports.ts';

/** An alias leads to its listing over two others at most: externalId, id, sku. */
const MAX_HOPS = 4;

/**
 * Updates the listing that keeps a target's values: its own, or that of the target it is an alias of. `change` sees
 * no alias. `known` is the caller's own recent copy of the target's listing, or that it has none, which saves
 * a read.
 */
export async function updateListing(
  listings: Pick<ListingTable, 'update'>,
  storeClientId: string,
  target: string,
  change: (current: Listing | undefined) => Listing | undefined,
  known?: Listing | 'none',
): Promise<Listing | undefined> {
  let name = target;
  for (let hop = 0; hop < MAX_HOPS; hop += 1) {
    const stored = await listings.update(
      storeClientId,
      name,
      (current) => (current?.aliasOf === undefined ? change(current) : undefined),
      name === target ? known : undefined,
    );
    if (stored?.aliasOf === undefined) return stored;
    name = stored.aliasOf;
  }
  throw tooManyHops(storeClientId, target);
}

/** The listing that keeps a target's values. */
export async function getListing(
  listings: Pick<ListingTable, 'get'>,
  storeClientId: string,
  target: string,
): Promise<Listing | undefined> {
  let name = target;
  for (let hop = 0; hop < MAX_HOPS; hop += 1) {
    const listing = await listings.get(storeClientId, name);
    if (listing?.aliasOf === undefined) return listing;
    name = listing.aliasOf;
  }
  throw tooManyHops(storeClientId, target);
}

function tooManyHops(storeClientId: string, target: string): ConnectorError {
  return new ConnectorError(`the aliases of ${target} of ${storeClientId} lead nowhere`, {
    code: 'ALIAS_BROKEN',
  });
}

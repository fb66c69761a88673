import { ConnectorError } from '../../errors/connector-error.ts';
import type { MarketplaceClient } from '../../marketplace/client.ts';
import type { CallOptions } from '../../marketplace/options.ts';
import type { StoreCredentials } from '../../marketplace/request.ts';
import type { Listing } from '../model.ts';
import type { ListingTable } from '../ports.ts';
import { readLive } from './read-live.ts';
import { getListing } from './update-listing.ts';

export interface FindListingPorts {
  readonly listings: Pick<ListingTable, 'get'>;
}

export interface RefreshListingPorts extends FindListingPorts {
  /** Whose reads of products are recorded in their listings. */
  readonly marketplace: Pick<MarketplaceClient, 'getProduct' | 'getProductBySku'>;
}

/**
 * The listing of a target, under whichever of its names it is kept.
 *
 * @throws ConnectorError `LISTING_UNKNOWN`
 */
export async function findListing(
  { listings }: FindListingPorts,
  storeClientId: string,
  target: string,
): Promise<Listing> {
  const listing = await getListing(listings, storeClientId, target);
  if (listing !== undefined) return listing;
  throw new ConnectorError(`no listing of ${target}`, { code: 'LISTING_UNKNOWN' });
}

/**
 * The listing of a target with what the marketplace shows of its product now.
 *
 * @throws as `findListing` and `readLive` do
 */
export async function refreshListing(
  ports: RefreshListingPorts,
  store: StoreCredentials,
  target: string,
  options: CallOptions,
): Promise<Listing> {
  const known = await findListing(ports, store.storeClientId, target);
  await readLive(ports.marketplace, store, known.target, options);
  return findListing(ports, store.storeClientId, target);
}

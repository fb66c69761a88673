import { ConnectorError } from '../../errors/connector-error.ts';
import { findProduct, type ProductReads } from '../../marketplace/find-product.ts';
import type { CallOptions } from '../../marketplace/options.ts';
import type { StoreCredentials } from '../../marketplace/request.ts';
import type { Listing } from '../model.ts';
import type { ListingTable } from '../ports.ts';
import { fieldsOfTarget } from '../rules/target.ts';

export interface RefreshListingPorts {
  readonly listings: Pick<ListingTable, 'get'>;
  /** A client that records what reads show, see `recordingReads`. */
  readonly marketplace: ProductReads;
}

/**
 * The listing of a target.
 *
 * @throws ConnectorError `LISTING_UNKNOWN`
 */
export async function findListing(
  { listings }: Pick<RefreshListingPorts, 'listings'>,
  storeClientId: string,
  target: string,
): Promise<Listing> {
  const listing = await listings.get(storeClientId, target);
  if (listing !== undefined) return listing;
  throw new ConnectorError(`no listing of ${target}`, { code: 'LISTING_UNKNOWN' });
}

/**
 * Reads the product of a target (§4.12, 4.13). Returns the listing with the values that the read showed, or with `missing` if
 * there is no such product.
 *
 * @throws ConnectorError `LISTING_UNKNOWN`; `LISTING_NOT_READABLE` for a target with an `externalId`
 * @throws MarketplaceError if the product can't be read
 */
export async function refreshListing(
  ports: RefreshListingPorts,
  store: StoreCredentials,
  target: string,
  options: CallOptions,
): Promise<Listing> {
  await findListing(ports, store.storeClientId, target);
  const name = fieldsOfTarget(target);
  if ('externalId' in name) {
    throw new ConnectorError(`the marketplace reads a product by SKU or ID, and ${target} is neither`, {
      code: 'LISTING_NOT_READABLE',
    });
  }
  await findProduct(ports.marketplace, store, name, options);
  return findListing(ports, store.storeClientId, target);
}

import { ConnectorError } from '../../errors/connector-error.ts';
import type { MarketplaceClient } from '../../marketplace/client.ts';
import { MarketplaceError, PRODUCT_NOT_FOUND } from '../../marketplace/errors.ts';
import type { CallOptions } from '../../marketplace/options.ts';
import type { StoreCredentials } from '../../marketplace/request.ts';
import type { Listing } from '../model.ts';
import type { ListingTable } from '../ports.ts';
import { fieldsOfTarget } from '../rules/target.ts';

export interface FindListingPorts {
  readonly listings: Pick<ListingTable, 'get'>;
}

export interface RefreshListingPorts extends FindListingPorts {
  /** Whose reads of products are recorded in their listings. */
  readonly marketplace: Pick<MarketplaceClient, 'getProduct' | 'getProductBySku'>;
}

/**
 * The listing of a target.
 *
 * @throws ConnectorError `LISTING_UNKNOWN`
 */
export async function findListing(
  { listings }: FindListingPorts,
  storeClientId: string,
  target: string,
): Promise<Listing> {
  const listing = await listings.get(storeClientId, target);
  if (listing !== undefined) return listing;
  throw new ConnectorError(`no listing of ${target}`, { code: 'LISTING_UNKNOWN' });
}

/**
 * The listing of a target with what the marketplace shows of its product now (§4.12, 4.13), which may be that there is
 * none.
 *
 * @throws ConnectorError `LISTING_UNKNOWN`; `LISTING_NOT_READABLE` for a product by its `externalId`
 * @throws MarketplaceError when the product can't be read
 */
export async function refreshListing(
  ports: RefreshListingPorts,
  store: StoreCredentials,
  target: string,
  options: CallOptions,
): Promise<Listing> {
  await findListing(ports, store.storeClientId, target);
  await readProduct(ports.marketplace, store, target, options);
  return findListing(ports, store.storeClientId, target);
}

async function readProduct(
  marketplace: RefreshListingPorts['marketplace'],
  store: StoreCredentials,
  target: string,
  options: CallOptions,
): Promise<void> {
  const name = fieldsOfTarget(target);
  try {
    if ('sku' in name) await marketplace.getProductBySku(store, name, options);
    else if ('id' in name) await marketplace.getProduct(store, { productId: name.id }, options);
    else throw notReadable(target);
  } catch (error) {
    if (!(error instanceof MarketplaceError) || error.code !== PRODUCT_NOT_FOUND) throw error;
  }
}

function notReadable(target: string): ConnectorError {
  return new ConnectorError(`the marketplace reads a product by SKU or ID, and ${target} is neither`, {
    code: 'LISTING_NOT_READABLE',
  });
}

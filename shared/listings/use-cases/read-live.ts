import { ConnectorError } from '../../errors/connector-error.ts';
import type { MarketplaceClient } from '../../marketplace/client.ts';
import { MarketplaceError, PRODUCT_NOT_FOUND } from '../../marketplace/errors.ts';
import type { CallOptions } from '../../marketplace/options.ts';
import type { StoreCredentials } from '../../marketplace/request.ts';
import { fieldsOfTarget } from '../rules/target.ts';

/**
 * Reads the product of a listing by the listing's own name (§4.12, 4.13), so that `recordingReads` records what it shows,
 * or that there is none.
 *
 * @throws ConnectorError `LISTING_NOT_READABLE` for a product that is known by its `externalId` only
 * @throws MarketplaceError when the product can't be read
 */
export async function readLive(
  marketplace: Pick<MarketplaceClient, 'getProduct' | 'getProductBySku'>,
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
  return new ConnectorError(
    `the marketplace reads a product by SKU or ID, and neither is known of ${target} before a row of it is accepted`,
    { code: 'LISTING_NOT_READABLE' },
  );
}

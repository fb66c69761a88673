import type { MarketplaceClient } from './client.ts';
import { MarketplaceError, PRODUCT_NOT_FOUND } from './errors.ts';
import type { CallOptions } from './options.ts';
import type { Product } from './products.ts';
import type { StoreCredentials } from './request.ts';

/** The reads of one product (§4.12, 4.13). */
export type ProductReads = Pick<MarketplaceClient, 'getProduct' | 'getProductBySku'>;

/** The names by which the marketplace reads a product. */
export type ReadableName = { readonly sku: string } | { readonly id: string };

/** The product of this name; `undefined` if the marketplace has none. @throws MarketplaceError */
export async function findProduct(
  marketplace: ProductReads,
  store: StoreCredentials,
  name: ReadableName,
  options: CallOptions,
): Promise<Product | undefined> {
  try {
    const { data } =
      'sku' in name
        ? await marketplace.getProductBySku(store, name, options)
        : await marketplace.getProduct(store, { productId: name.id }, options);
    return data;
  } catch (error) {
    if (error instanceof MarketplaceError && error.code === PRODUCT_NOT_FOUND) return undefined;
    throw error;
  }
}

import { MarketplaceError } from '../../shared/marketplace/errors.ts';
import { simpleProduct } from './catalog.ts';
import type { ConnectorRun } from './connector-run.ts';
import { withDirectClient } from './direct-client.ts';

/** SKU of the product in the README's first example. */
export const DEMO_SKU = 'DEMO-1';

/**
 * Creates the demo product with a stock of 0 in the first store of a sandbox, unless it exists. Does nothing on any other
 * marketplace.
 */
export async function createDemoProduct({ controls, marketplace, stores, tokens }: ConnectorRun) {
  const [storeClientId] = stores;
  if (controls === undefined || storeClientId === undefined) return;
  const store = { storeClientId, storeToken: tokens[storeClientId] ?? '' };
  await withDirectClient(marketplace, async (client) => {
    const exists = await client.getProductBySku(store, { sku: DEMO_SKU }).then(
      () => true,
      (error: unknown) => {
        if (error instanceof MarketplaceError && error.code === 'PRD_014') return false;
        throw error;
      },
    );
    if (exists) return;
    const product = { ...simpleProduct(0), sku: DEMO_SKU, name: 'Demo product' };
    await client.createProducts(store, { products: [product] });
  });
}

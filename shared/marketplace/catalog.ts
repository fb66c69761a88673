import { z } from 'zod';
import { bulkEndpoint } from './bulk-endpoint.ts';
import { simpleProduct, variantProduct } from './product-request.ts';
import { path } from './request.ts';

/** Body of §4.3 and 4.5. */
export const simpleProducts = z.strictObject({ products: z.array(simpleProduct).min(1) });

/** Body of §4.4 and 4.6. */
export const variantProducts = z.strictObject({ products: z.array(variantProduct).min(1) });

/** Imports simple products that do not exist yet (§4.3, ASYNC); the final summary comes by webhook. */
export const syncCatalog = bulkEndpoint({
  endpoint: 'syncCatalog',
  method: 'POST',
  path: path`/partner/stores/catalog/sync`,
  body: simpleProducts,
});

/** Imports products with variants that do not exist yet (§4.4, ASYNC); the final summary comes by webhook. */
export const syncVariantCatalog = bulkEndpoint({
  endpoint: 'syncVariantCatalog',
  method: 'POST',
  path: path`/partner/stores/catalog/variants/sync`,
  body: variantProducts,
});

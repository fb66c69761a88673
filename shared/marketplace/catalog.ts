import { z } from 'zod';
import { json } from './answers.ts';
import { type BatchAnswer, batchAnswer } from './batch.ts';
import type { Call } from './call.ts';
import type { CallOptions } from './options.ts';
import { simpleProduct, variantProduct } from './product-request.ts';
import { path, type StoreCredentials } from './request.ts';

/** Body of §4.3 and 4.5. */
export const simpleProducts = z.strictObject({ products: z.array(simpleProduct).min(1) });
export type SimpleProducts = z.infer<typeof simpleProducts>;

/** Body of §4.4 and 4.6. */
export const variantProducts = z.strictObject({ products: z.array(variantProduct).min(1) });
export type VariantProducts = z.infer<typeof variantProducts>;

/** Imports simple products that do not exist yet (§4.3, ASYNC); the final summary comes by webhook. */
export async function syncCatalog(
  call: Call,
  store: StoreCredentials,
  products: SimpleProducts,
  options?: CallOptions,
): Promise<BatchAnswer> {
  return call(
    {
      endpoint: 'syncCatalog',
      method: 'POST',
      path: path`/partner/stores/catalog/sync`,
      as: store,
      body: { schema: simpleProducts, value: products },
    },
    json(batchAnswer),
    options,
  );
}

/** Imports products with variants that do not exist yet (§4.4, ASYNC); the final summary comes by webhook. */
export async function syncVariantCatalog(
  call: Call,
  store: StoreCredentials,
  products: VariantProducts,
  options?: CallOptions,
): Promise<BatchAnswer> {
  return call(
    {
      endpoint: 'syncVariantCatalog',
      method: 'POST',
      path: path`/partner/stores/catalog/variants/sync`,
      as: store,
      body: { schema: variantProducts, value: products },
    },
    json(batchAnswer),
    options,
  );
}

import { z } from 'zod';
import { json } from './answers.ts';
import { acceptedRow, rowErrors, rowsOf, summaryCounts } from './batch.ts';
import { bulkEndpoint } from './bulk-endpoint.ts';
import type { Call } from './call.ts';
import { simpleProducts, variantProducts } from './catalog.ts';
import { envelope } from './envelope.ts';
import { uuid } from './fields.ts';
import type { CallOptions } from './options.ts';
import { type ProductChanges, productChanges } from './product-request.ts';
import { path, type StoreCredentials } from './request.ts';

export const updatedProduct = envelope(
  z.looseObject({
    id: z.string(),
    externalId: z.string().nullish(),
    hasVariants: z.boolean().optional(),
    updatedFields: z.array(z.string()).catch([]),
  }),
);
export type UpdatedProduct = z.infer<typeof updatedProduct>;

/** Body of §4.10. */
export const productDeletion = z.strictObject({ ids: z.array(uuid).min(1) });
export type ProductDeletion = z.infer<typeof productDeletion>;

export const deletedProducts = envelope(
  z.looseObject({
    summary: summaryCounts.catch({}),
    successItems: rowsOf(acceptedRow),
    errors: rowErrors,
  }),
);
export type DeletedProducts = z.infer<typeof deletedProducts>;

/** Creates simple products in bulk (§4.5, ASYNC). Row error: PRD_002. */
export const createProducts = bulkEndpoint({
  endpoint: 'createProducts',
  method: 'POST',
  path: path`/partner/stores/products/bulk`,
  body: simpleProducts,
});

/** Creates products with variants in bulk (§4.6, ASYNC). Row error: PRD_002. */
export const createVariantProducts = bulkEndpoint({
  endpoint: 'createVariantProducts',
  method: 'POST',
  path: path`/partner/stores/products/with-variants/bulk`,
  body: variantProducts,
});

/** Updates the given fields of one product (§4.7, synchronous); §3 tells what becomes of its variants. */
export async function updateProduct(
  call: Call,
  store: StoreCredentials,
  request: { readonly productId: string; readonly changes: ProductChanges },
  options?: CallOptions,
): Promise<UpdatedProduct> {
  return call(
    {
      endpoint: 'updateProduct',
      method: 'PATCH',
      path: path`/partner/stores/products/${request.productId}`,
      as: store,
      body: { schema: productChanges, value: request.changes },
    },
    json(updatedProduct),
    options,
  );
}

/** Deletes products by their ids (§4.10, synchronous). Row error: PRD_014. */
export async function deleteProducts(
  call: Call,
  store: StoreCredentials,
  request: ProductDeletion,
  options?: CallOptions,
): Promise<DeletedProducts> {
  return call(
    {
      endpoint: 'deleteProducts',
      method: 'POST',
      path: path`/partner/stores/products/deletions`,
      as: store,
      body: { schema: productDeletion, value: request },
    },
    json(deletedProducts),
    options,
  );
}

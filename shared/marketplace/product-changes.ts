import * as z from 'zod';
import { envelope, json } from './answers.ts';
import {
  acceptedRows,
  answeredCounts,
  DENIAL,
  NO_OUTCOME,
  rowErrors,
  tellsNoDenial,
  tellsOutcome,
} from './batch.ts';
import { bulkCall, type Call, storeCall } from './call.ts';
import { uuid } from './fields.ts';
import type { CallOptions } from './options.ts';
import { type ProductChanges, productChanges, simpleProduct, variantProduct } from './product-request.ts';
import { path, type StoreCredentials } from './request.ts';

const simpleProducts = z.strictObject({ products: z.array(simpleProduct).min(1) });
const variantProducts = z.strictObject({ products: z.array(variantProduct).min(1) });

/** The answer to an update (§4.7). Only its success is read, so that an unexpected type of a field does not repeat the update. */
export const updatedProduct = envelope(
  z
    .looseObject({
      id: z.string().optional().catch(undefined),
      externalId: z.string().nullish().catch(undefined),
      hasVariants: z.boolean().optional().catch(undefined),
      updatedFields: z.array(z.string()).catch([]),
    })
    .nullish()
    .catch(undefined),
)
  .refine(tellsOutcome, NO_OUTCOME)
  .refine(tellsNoDenial, DENIAL);

/** Body of §4.10. */
export const productDeletion = z.strictObject({ ids: z.array(uuid).min(1) });

/** The answer to deletions (§4.10). `batchAnswer` reads its outcomes. */
export const deletedProducts = envelope(
  z
    .looseObject({
      summary: answeredCounts,
      successItems: acceptedRows,
      errors: rowErrors,
    })
    .nullish(),
)
  .extend({ success: z.boolean().optional() })
  .refine(tellsOutcome, NO_OUTCOME);

/** The calls that import, create, change and delete products. */
export function productChangesOver(call: Call) {
  return {
    /** Imports simple products that do not exist yet (§4.3, ASYNC). */
    syncCatalog: bulkCall(call, {
      method: 'POST',
      path: '/partner/stores/catalog/sync',
      body: simpleProducts,
    }),

    /** Imports products with variants that do not exist yet (§4.4, ASYNC). */
    syncVariantCatalog: bulkCall(call, {
      method: 'POST',
      path: '/partner/stores/catalog/variants/sync',
      body: variantProducts,
    }),

    /** Creates simple products (§4.5, ASYNC). Row error: PRD_002. */
    createProducts: bulkCall(call, {
      method: 'POST',
      path: '/partner/stores/products/bulk',
      body: simpleProducts,
    }),

    /** Creates products with variants (§4.6, ASYNC). Row error: PRD_002. */
    createVariantProducts: bulkCall(call, {
      method: 'POST',
      path: '/partner/stores/products/with-variants/bulk',
      body: variantProducts,
    }),

    /** Updates the given fields of one product (§4.7). §3 has the rules for its variants. */
    updateProduct: async (
      store: StoreCredentials,
      { productId, changes }: { readonly productId: string; readonly changes: ProductChanges },
      options?: CallOptions,
    ) =>
      call(
        {
          method: 'PATCH',
          path: path`/partner/stores/products/${productId}`,
          as: store,
          body: { schema: productChanges, value: changes },
        },
        json(updatedProduct),
        options,
      ),

    /** Deletes products by their ids (§4.10). Row error: PRD_014. */
    deleteProducts: storeCall(call, {
      method: 'POST',
      path: '/partner/stores/products/deletions',
      body: productDeletion,
      answer: deletedProducts,
    }),
  };
}

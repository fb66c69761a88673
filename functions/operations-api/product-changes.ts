import { z } from 'zod';
import type { ForConnectedStorePorts } from '../../shared/commands/use-cases/for-connected-store.ts';
import { HttpError } from '../../shared/lambda/http-handler.ts';
import type { MarketplaceClient } from '../../shared/marketplace/client.ts';
import { uuid } from '../../shared/marketplace/fields.ts';
import {
  deletedProducts,
  productDeletion,
  updatedProduct,
} from '../../shared/marketplace/product-changes.ts';
import { productChanges } from '../../shared/marketplace/product-request.ts';
import { isAboutListings, splitUpdate } from '../../shared/products/rules/split-update.ts';
import { type ChangeProductPorts, changeProduct } from '../../shared/products/use-cases/change-product.ts';
import type { Store } from '../../shared/stores/model.ts';
import { forStore } from './for-store.ts';
import { inTime } from './in-time.ts';
import { type Route, route } from './route.ts';
import { getStore, storePath } from './stores.ts';

export interface ProductChangeRoutesPorts extends ForConnectedStorePorts, Omit<ChangeProductPorts, 'calls'> {
  readonly marketplace: Pick<MarketplaceClient, 'getProduct' | 'updateProduct' | 'deleteProducts'>;
  readonly clock: ForConnectedStorePorts['clock'];
}

/** What is queued for the listing, in the marketplace's envelope: nothing of the product changed yet. */
const queuedSchema = z.object({
  success: z.literal(true),
  message: z.string(),
  requestId: z.string(),
  data: z.object({ id: z.string(), updatedFields: z.array(z.string()) }),
});

const somethingChanged = productChanges.refine(
  (changes) => Object.keys(changes).length > 0,
  'there is nothing to change',
);

/** One request of the marketplace's; an event takes any number of ids. */
const deletion = productDeletion.extend({ ids: productDeletion.shape.ids.max(1000) });

/** Updates and deletions of products, answered with the marketplace's own envelope. */
export function productChangeRoutes(ports: ProductChangeRoutesPorts): Route[] {
  return [
    route(
      'PATCH /stores/{storeClientId}/products/{productId}',
      {
        summary:
          'Updates a product (§4.7); price and stock become changes of its listing, where the newest wins',
        path: storePath.extend({ productId: uuid }),
        body: somethingChanged,
        answers: { 200: updatedProduct, 202: queuedSchema },
      },
      async ({ path: { storeClientId, productId }, body: changes, requestId }) => {
        const command = { productId, changes, commandId: requestId, time: ports.clock.now() };
        const apply = (store: Store) =>
          changeProduct({ ...ports, calls: ports.marketplace }, command, store, inTime());
        const known = await getStore(ports.stores, storeClientId);
        // Price and stock of a store that is not connected wait for it.
        const change = isAboutListings(splitUpdate(changes, known.names))
          ? await apply(known)
          : await forStore(ports, storeClientId, apply);
        if (change.state === 'refused') throw new HttpError(400, 'REQUEST_INVALID', change.fault.message);
        if (change.state === 'answered') return { status: 200, body: change.answer };
        return queued(requestId, productId);
      },
    ),

    route(
      'POST /stores/{storeClientId}/products/deletions',
      {
        summary: 'Deletes products by their ids (§4.10)',
        path: storePath,
        body: deletion,
        answers: { 200: deletedProducts },
      },
      async ({ path: { storeClientId }, body }) => {
        const answer = await forStore(ports, storeClientId, (store) =>
          ports.marketplace.deleteProducts(store, body, inTime()),
        );
        return { status: 200, body: answer };
      },
    ),
  ];
}

function queued(requestId: string, id: string) {
  const message = 'The changes of price and stock are queued';
  return { status: 202, body: { success: true, message, requestId, data: { id, updatedFields: [] } } };
}

import { z } from 'zod';
import {
  type GivenProducts,
  type QueueProductsPorts,
  queueProducts,
} from '../../shared/products/use-cases/queue-products.ts';
import type { StoreTable } from '../../shared/stores/ports.ts';
import { type Route, route } from './route.ts';
import { getStore, storePath } from './stores.ts';

export interface CatalogRoutesPorts extends QueueProductsPorts {
  readonly stores: Pick<StoreTable, 'get'>;
}

/** What Lambda takes of a body that is quoted inside of an event of 6 MB. */
const MAX_IMPORT_BODY_BYTES = 4_000_000;

/** Rows are checked one by one later, as with the events, so that a bad one loses nothing else. */
const productsBody = z.strictObject({ products: z.array(z.unknown()).min(1) });
const takenSchema = z.object({ commandId: z.string(), products: z.int() });

/** Bulk imports, with the same effect as the events; batches and rejected rows are found by the command's ID. */
export function catalogRoutes(ports: CatalogRoutesPorts): Route[] {
  return [
    importRoute(ports, 'POST /stores/{storeClientId}/catalog/sync', {
      summary: 'Imports products that do not exist yet (§4.3)',
      detailType: 'catalog.sync.requested',
    }),
    importRoute(ports, 'POST /stores/{storeClientId}/catalog/variants/sync', {
      summary: 'Imports products with variants that do not exist yet (§4.4)',
      detailType: 'catalog.sync.requested',
    }),
    importRoute(ports, 'POST /stores/{storeClientId}/products/bulk', {
      summary: 'Creates products (§4.5)',
      detailType: 'product.create.requested',
    }),
    importRoute(ports, 'POST /stores/{storeClientId}/products/with-variants/bulk', {
      summary: 'Creates products with variants (§4.6)',
      detailType: 'product.create.requested',
    }),
  ];
}

function importRoute(
  ports: CatalogRoutesPorts,
  key: string,
  { summary, detailType }: { readonly summary: string } & Pick<GivenProducts, 'detailType'>,
): Route {
  return route(
    key,
    {
      summary,
      path: storePath,
      body: productsBody,
      maxBodyBytes: MAX_IMPORT_BODY_BYTES,
      answers: { 202: takenSchema },
    },
    async ({ path, body: { products }, requestId }) => {
      await getStore(ports.stores, path.storeClientId);
      await queueProducts(ports, { ...path, detailType, commandId: requestId, products });
      return { status: 202, body: { commandId: requestId, products: products.length } };
    },
  );
}

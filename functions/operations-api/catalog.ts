import * as z from 'zod';
import type { QueueSender } from '../../shared/aws/queue-sender.ts';
import { writeIncomingEvent } from '../../shared/events/incoming.ts';
import { warningsOfProducts } from '../../shared/products/rules/product-warnings.ts';
import type { StoreTable } from '../../shared/stores/ports.ts';
import type { Clock } from '../../shared/time/clock.ts';
import { warningSchema } from '../../shared/warnings/model.ts';
import { getStore, storePath } from './for-store.ts';
import { type Route, route } from './route.ts';

export interface CatalogRoutesPorts {
  readonly stores: Pick<StoreTable, 'get'>;
  readonly productCommands: QueueSender;
  readonly clock: Pick<Clock, 'now'>;
}

/** Limit of a body in bytes. Lambda's event, which contains the body as an escaped text, has at most 6 MB. */
const MAX_IMPORT_BODY_BYTES = 4_000_000;

/** Rows are checked one by one later, so that an invalid row does not reject the others. */
const productsBody = z.strictObject({ products: z.array(z.unknown()).min(1) });
const takenSchema = z.object({
  commandId: z.string(),
  products: z.int(),
  /** Warnings about products that are nevertheless taken. */
  warnings: z.array(warningSchema).optional(),
});

const sync = 'catalog.sync.requested';
const create = 'product.create.requested';

/** Each route: its path below the store, the event with the same effect, and a summary. */
const imports = [
  ['catalog/sync', sync, 'Imports products that do not exist yet (§4.3)'],
  ['catalog/variants/sync', sync, 'Imports products with variants that do not exist yet (§4.4)'],
  ['products/bulk', create, 'Creates products (§4.5)'],
  ['products/with-variants/bulk', create, 'Creates products with variants (§4.6)'],
] as const;

/** Bulk imports. The command's ID leads to their batches and rejected rows. */
export function catalogRoutes({ stores, productCommands, clock }: CatalogRoutesPorts): Route[] {
  return imports.map(([place, detailType, summary]) =>
    route(
      `POST /stores/{storeClientId}/${place}`,
      {
        summary,
        path: storePath,
        body: productsBody,
        maxBodyBytes: MAX_IMPORT_BODY_BYTES,
        answers: { 202: takenSchema },
      },
      async ({ path, body: { products }, requestId: commandId }) => {
        await getStore(stores, path.storeClientId);
        const detail = { ...path, commandId, products };
        const event = { id: commandId, time: clock.now(), detailType, detail };
        await productCommands.send([writeIncomingEvent(event)]);
        const warnings = warningsOfProducts(products);
        return { commandId, products: products.length, ...(warnings.length > 0 && { warnings }) };
      },
    ),
  );
}

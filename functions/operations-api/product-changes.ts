import * as z from 'zod';
import { HttpError, type HttpResponse } from '../../shared/lambda/http-handler.ts';
import { uuid } from '../../shared/marketplace/fields.ts';
import {
  deletedProducts,
  productDeletion,
  updatedProduct,
} from '../../shared/marketplace/product-changes.ts';
import { productChanges } from '../../shared/marketplace/product-request.ts';
import type { UpdateCommand } from '../../shared/products/model.ts';
import type { ProductPorts } from '../../shared/products/ports.ts';
import { createProductDomain } from '../../shared/products/product-domain.ts';
import { type UpdateAnswer, updateAnswerOf } from '../../shared/products/update-requests.ts';
import { performCommands } from '../../shared/requests/use-cases/perform-commands.ts';
import { refusedRequest } from './errors.ts';
import { forStore, getStore, storePath, withinRoute } from './for-store.ts';
import { type Route, rawRoute, route } from './route.ts';

/** An empty parameter is no number: coerced, it would be 0, and the values would be older than all others. */
const version = z.preprocess(
  (given) => (typeof given === 'string' && given.trim() === '' ? Number.NaN : given),
  z.coerce.number().int().nonnegative(),
);

/** Answer when only price and stock change: they are queued for the listing. In the marketplace's envelope. */
const queuedSchema = z.object({
  success: z.literal(true),
  message: z.string(),
  requestId: z.string(),
  data: z.object({ id: z.string(), updatedFields: z.array(z.string()) }),
});

const somethingChanged = productChanges.refine(
  (changes) => Object.keys(changes).length > 0,
  'must change at least one field',
);

/** At most one request of the marketplace; an event may have any number of ids. */
const deletion = productDeletion.extend({ ids: productDeletion.shape.ids.max(1000) });

/** Updates and deletions of products, answered with the marketplace's own envelope. */
export function productChangeRoutes(ports: ProductPorts): Route[] {
  return [
    rawRoute(
      'PATCH /stores/{storeClientId}/products/{productId}',
      {
        summary: 'Updates a product (§4.7). Its price and stock become changes of its listing (newest wins)',
        path: storePath.extend({ productId: uuid }),
        query: z.strictObject({
          /** Version of price and stock, in listings whose versions are integers. */
          version: version.optional(),
        }),
        body: somethingChanged,
        answers: { 200: updatedProduct, 202: queuedSchema },
      },
      async ({ path, query: { version }, body: changes, requestId }) => {
        await getStore(ports.stores, path.storeClientId);
        return update(ports, {
          ...path,
          detailType: 'product.update.requested',
          commandId: requestId,
          eventId: requestId,
          time: ports.clock.now(),
          ...(version !== undefined && { version }),
          changes,
        });
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
      async ({ path, body }) =>
        forStore(ports, path.storeClientId, (store, options) =>
          ports.calls.deleteProducts(store, body, options),
        ),
    ),
  ];
}

/** Performs an update while its caller waits. After an error the caller repeats the call. */
async function update(ports: ProductPorts, command: UpdateCommand): Promise<HttpResponse> {
  const { getProduct, updateProduct } = ports.calls;
  const calls = { ...ports.calls, ...withinRoute({ getProduct, updateProduct }) };
  const ends = await performCommands(ports, createProductDomain({ ...ports, calls }), [command]);
  const { requests = [], rejections = [], error } = ends.get(command) ?? {};
  if (error !== undefined) throw error;
  const [record] = requests;
  if (record === undefined)
    throw new HttpError(400, 'REQUEST_INVALID', rejections[0]?.message ?? 'not valid');
  if (record.fault !== undefined) throw refusedRequest(record.fault);
  return answerTo(command, updateAnswerOf(record));
}

function answerTo({ commandId, productId }: UpdateCommand, answer: UpdateAnswer): HttpResponse {
  const { fault, updated, isSuperseded } = answer;
  if (fault !== undefined) throw new HttpError(400, 'REQUEST_INVALID', fault.message);
  if (updated !== undefined) return { status: 200, body: updated };
  if (isSuperseded) {
    const message = 'a newer update has set these fields; any price and stock are queued';
    throw new HttpError(409, 'OVERTAKEN', message);
  }
  const message = 'The changes of price and stock are queued';
  const data = { id: productId, updatedFields: [] };
  return { status: 202, body: { success: true, message, requestId: commandId, data } };
}

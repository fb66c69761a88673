import * as z from 'zod';
import type { QueueSender } from '../../shared/aws/queue-sender.ts';
import { HttpError, type HttpResponse } from '../../shared/lambda/http-handler.ts';
import { uuid } from '../../shared/marketplace/fields.ts';
import { productDeletion, updatedProduct } from '../../shared/marketplace/product-changes.ts';
import { givenProductChanges } from '../../shared/marketplace/product-request.ts';
import { updateAnswerOf } from '../../shared/products/update-requests.ts';
import type { EndedCommand } from '../../shared/requests/model.ts';
import { deletionAnswer, deletionAnswerSchema } from './deletion-answer.ts';
import { requestFailure } from './errors.ts';
import { storePath } from './for-store.ts';
import { openCommandSchema, type QueuedCommandPorts, queueCommand, waitQuery } from './queued-command.ts';
import { type Route, rawRoute, wholeNumber } from './route.ts';

/** The answer if only price and stock change, in the marketplace's envelope. They are queued for the listing. */
const queuedSchema = z.object({
  success: z.literal(true),
  message: z.string(),
  requestId: z.string(),
  data: z.object({ id: z.string(), updatedFields: z.array(z.string()) }),
});

const somethingChanged = givenProductChanges.refine(
  (changes) => Object.keys(changes).length > 0,
  'must change at least one field',
);

/** At most one request of the marketplace; an event may have any number of ids. */
const deletion = productDeletion.extend({ ids: productDeletion.shape.ids.max(1000) });

export interface ProductChangeRoutesPorts extends QueuedCommandPorts {
  readonly productCommands: QueueSender;
}

/** Updates and deletions of products, answered with the marketplace's own envelope. */
export function productChangeRoutes(ports: ProductChangeRoutesPorts): Route[] {
  return [
    rawRoute(
      'PATCH /stores/{storeClientId}/products/{productId}',
      {
        summary: 'Updates a product (§4.7). Its price and stock become changes of its listing (newest wins)',
        path: storePath.extend({ productId: uuid }),
        query: z.strictObject({
          /** Version of price and stock, in listings whose versions are integers. */
          version: wholeNumber(z.int().nonnegative()).optional(),
          ...waitQuery,
        }),
        body: somethingChanged,
        answers: { 200: updatedProduct, 202: z.union([queuedSchema, openCommandSchema]) },
      },
      async ({ path, query: { version, wait }, body: changes, requestId: id }) => {
        const detail = { ...path, changes, version };
        const command = { id, detailType: 'product.update.requested', detail, wait } as const;
        return queueCommand(ports, ports.productCommands, command, (end) =>
          answerToUpdate(id, path.productId, end),
        );
      },
    ),

    rawRoute(
      'POST /stores/{storeClientId}/products/deletions',
      {
        summary: 'Deletes products by their ids (§4.10)',
        path: storePath,
        query: z.strictObject(waitQuery),
        body: deletion,
        answers: { 200: deletionAnswerSchema, 202: openCommandSchema },
      },
      async ({ path, query: { wait }, body: { ids }, requestId: id }) => {
        const detail = { ...path, ids };
        const command = { id, detailType: 'product.delete.requested', detail, wait } as const;
        return queueCommand(ports, ports.productCommands, command, (end) => ({
          status: 200,
          body: deletionAnswer(id, end),
        }));
      },
    ),
  ];
}

function answerToUpdate(
  commandId: string,
  productId: string,
  { requests: [record], rejections, fault }: EndedCommand,
): HttpResponse {
  if (fault !== undefined) throw requestFailure(fault);
  if (record === undefined)
    throw new HttpError(400, 'REQUEST_INVALID', rejections[0]?.message ?? 'not valid');
  if (record.fault !== undefined)
    throw requestFailure(record.fault, record.state === 'refused' ? 'refused' : 'unknown');
  const answer = updateAnswerOf(record);
  if (answer.fault !== undefined) throw new HttpError(400, 'REQUEST_INVALID', answer.fault.message);
  if (answer.updated !== undefined) return { status: 200, body: answer.updated };
  if (answer.isSuperseded) {
    const message = 'a newer update has set these fields; any price and stock are queued';
    throw new HttpError(409, 'OVERTAKEN', message);
  }
  const message = 'The changes of price and stock are queued';
  const data = { id: productId, updatedFields: [] };
  return { status: 202, body: { success: true, message, requestId: commandId, data } };
}

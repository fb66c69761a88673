import { z } from 'zod';
import { bulkCall, type Call, storeCall } from './call.ts';
import { decision, exactlyOneOf, identifier, obeys, uuid } from './fields.ts';

/** A longer invoice number is a mistake, and no key of the orders that are kept. */
const MAX_INVOICE_NUMBER_LENGTH = 200;

const orderReference = {
  orderId: uuid.optional(),
  invoiceNumber: identifier.max(MAX_INVOICE_NUMBER_LENGTH).optional(),
};
const oneReference = exactlyOneOf(['orderId', 'invoiceNumber']);

/** A decision of §4.16. `reasonCode` and `reason` are used with `reject`; the codes are not in the spec. */
export const orderDecision = z
  .strictObject({
    ...orderReference,
    decision,
    reasonCode: z.string().min(1).optional(),
    reason: z.string().optional(),
  })
  .superRefine(obeys(oneReference));

/** Body of §4.16. */
const orderDecisions = z.strictObject({ items: z.array(orderDecision).min(1) });
export type OrderDecisions = z.infer<typeof orderDecisions>;

/** An order of §4.17. */
export const dropoffItem = z.strictObject(orderReference).superRefine(obeys(oneReference));

/** Body of §4.17. */
export const dropoffRequest = z.strictObject({ items: z.array(dropoffItem).min(1) });

/** Answer of §4.16: no more than this, outcomes per order are not in the spec. */
const decisionAnswer = z.looseObject({
  success: z.literal(true),
  message: z.string().optional().catch(undefined),
});

/** The calls that act on orders in bulk. */
export function orderCallsOver(call: Call) {
  return {
    /** Accepts or rejects orders (§4.16). */
    decideOrders: storeCall(call, {
      method: 'POST',
      path: '/partner/stores/orders/decisions',
      body: orderDecisions,
      answer: decisionAnswer,
    }),

    /**
     * Requests dropoff (§4.17, ASYNC). A skipped row is in `errors` with its `orderId`, its reason as `code`. ORDER_026
     * when every row is skipped: `context.summary` and `context.errors` carry the same.
     */
    requestDropoffs: bulkCall(call, {
      method: 'POST',
      path: '/partner/stores/orders/dropoffs',
      body: dropoffRequest,
    }),
  };
}

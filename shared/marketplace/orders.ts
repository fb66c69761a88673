import { z } from 'zod';
import { rowErrors } from './batch.ts';
import { bulkCall, type Call, storeCall } from './call.ts';
import { decision, exactlyOneOf, identifier, obeys, uuid } from './fields.ts';

/** A longer invoice number is a mistake, and too long for a key of the Orders table. */
const MAX_INVOICE_NUMBER_LENGTH = 200;

/**
 * A longer reason is a mistake. An order's record in the Orders table holds that of its decision, and that of the try before:
 * together with everything else below 400 KB in UTF-8.
 */
const MAX_REASON_LENGTH = 10_000;
const MAX_REASON_CODE_LENGTH = 200;

const orderReference = {
  orderId: uuid.optional(),
  invoiceNumber: identifier
    .max(MAX_INVOICE_NUMBER_LENGTH)
    .refine((text) => text.isWellFormed(), 'must be well-formed text')
    .optional(),
};
const oneReference = exactlyOneOf(['orderId', 'invoiceNumber']);

/** A decision of §4.16. `reasonCode` and `reason` belong to `reject`; the specification does not list the codes. */
export const orderDecision = z
  .strictObject({
    ...orderReference,
    decision,
    reasonCode: z.string().min(1).max(MAX_REASON_CODE_LENGTH).optional(),
    reason: z.string().max(MAX_REASON_LENGTH).optional(),
  })
  .check(obeys(oneReference));

/** Body of §4.16. */
const orderDecisions = z.strictObject({ items: z.array(orderDecision).min(1) });
export type OrderDecisions = z.infer<typeof orderDecisions>;

/** An order of §4.17. */
export const dropoffItem = z.strictObject(orderReference).check(obeys(oneReference));

/** Body of §4.17. */
export const dropoffRequest = z.strictObject({ items: z.array(dropoffItem).min(1) });

/** Row errors, should the answer have some. */
const errors = rowErrors.optional();

/** A list in place of `data` may name failed orders: it settles none that the answer does not name elsewhere. */
const LIST_OF_UNKNOWN_FORM = { success: false };

/** Answer of §4.16. The specification shows no outcomes per order. */
export const decisionAnswer = z.looseObject({
  success: z.literal(true),
  message: z.string().optional().catch(undefined),
  errors,
  data: z
    .looseObject({ errors })
    .nullish()
    .catch(({ value }) => (Array.isArray(value) && value.length > 0 ? LIST_OF_UNKNOWN_FORM : undefined)),
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
     * Requests dropoff (§4.17, ASYNC). `errors` lists the skipped rows with `orderId`, and their reason as `code`. If all
     * rows are skipped, ORDER_026 brings the same in `context.summary` and `context.errors`.
     */
    requestDropoffs: bulkCall(call, {
      method: 'POST',
      path: '/partner/stores/orders/dropoffs',
      body: dropoffRequest,
    }),
  };
}
